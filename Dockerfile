# The server of Tidelog: `docker build -t tidelog .`, described in docs/reference/server.md.
FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/tidelog && /opt/tidelog/bin/pip install --no-cache-dir ".[serve]"
# The kernel is compiled once, here: the server's user may not write where it lies.
RUN /opt/tidelog/bin/python -m tidelog.kernel

FROM python:3.11-slim
RUN useradd --system --uid 10001 --home-dir /state --shell /usr/sbin/nologin tidelog \
    && install --directory --owner=tidelog --group=tidelog --mode=0700 /state \
    && install --directory /program
COPY --from=build /opt/tidelog /opt/tidelog
USER tidelog
WORKDIR /program
VOLUME /state
EXPOSE 8117
ENV PATH=/opt/tidelog/bin:$PATH PYTHONUNBUFFERED=1
STOPSIGNAL SIGTERM
ENTRYPOINT ["tidelog", "serve"]
CMD ["/program/program.dl", "--state", "/state", "-F", "/program", "--host", "0.0.0.0"]
