"""What holds for all tests: a machine that is busy with something else fails none."""

from hypothesis import HealthCheck, settings

# How long an example takes tells how busy the machine is; what is to be fast is measured by `make bench`.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
