"""OpenTelemetry spans of runs, behind the extra `otel`."""
