"""What the suite needs of pytest itself; nothing here may reach the incident items."""

pytest_plugins = ["pytester"]
