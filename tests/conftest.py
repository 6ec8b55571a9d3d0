"""What all tests share; the fixtures for a real wiki come from the harness."""

pytest_plugins = ["tests.demo.fixtures", "tests.mediawiki.fixtures"]
