# The server of Tidelog: `docker build -t tidelog .`, described in docs/reference/server.md.
FROM python:3.11-slim AS build
WORKDIR /source
# The linker, for the kernel that is compiled into the wheel; neither it nor the compiler is part of the image.
RUN apt-get update && apt-get install --yes --no-install-recommends binutils
COPY pyproject.toml README.md LICENSE ./
COPY scripts/wheel.py ./scripts/wheel.py
COPY src ./src
RUN python -m venv /opt/tidelog && /opt/tidelog/bin/pip install --no-cache-dir ".[serve]"

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
