#!/bin/sh
# Stands in for Electron's binary: takes the switches that Playwright gives it, and runs the built main process under Node with the double.
exec "${SVC_NODE:-node}" --inspect=0 --no-warnings "$(dirname "$0")/runner.cjs" "$@"
