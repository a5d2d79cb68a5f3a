"""Uses the generated client: compiles all of it, creates a channel and reads it. Arguments: folder, URL, API key."""

import compileall
import sys

folder, url, key = sys.argv[1:]
assert compileall.compile_dir(f"{folder}/client", quiet=1)
sys.path.insert(0, folder)

from client import AuthenticatedClient  # noqa: E402
from client.api.channels import create_channel, list_channels, read_channel  # noqa: E402
from client.api.jobs import create_erasure_job  # noqa: E402
from client.models import CreateChannel, DryRun, ErasureByEmail, Problem  # noqa: E402

console = AuthenticatedClient(base_url=url, token=key)
address = "https://partner.example/python"
created = create_channel.sync(client=console, body=CreateChannel(address=address, id="python"))
assert read_channel.sync(created.id, client=console).address == address
assert created.id in [channel.id for channel in list_channels.sync(client=console).data]
assert isinstance(read_channel.sync("nobody", client=console), Problem)
erasure = ErasureByEmail(email="owner@bakery.example", reason="ticket 4711", dry_run=True)
assert isinstance(create_erasure_job.sync(client=console, body=erasure), DryRun)
print("ok")
