"""Rows and files: conversion of data in any common form to columns of cells, and back.

Law (D14): a column has one type and no nulls, and data that is read with a type is returned with it. Nothing here
depends on rules.
"""
