import pytest
from hypothesis import settings

# A busy machine is no failure, and no example is kept between runs.
settings.register_profile("kit", deadline=None, database=None)
settings.load_profile("kit")

# So that pytest explains its failed assertions as those of a test file.
pytest.register_assert_rewrite("adapter_contract")
