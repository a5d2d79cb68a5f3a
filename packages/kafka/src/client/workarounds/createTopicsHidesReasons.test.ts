import { expect, test } from "vitest"
import { realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { ensureTopics } from "../../admin/ensureTopics.ts"

test("a topic that cannot be created rejects with the broker's reason", async () => {
  const topics = [{ name: uniqueName("bad"), partitions: 1, config: { "no.such.setting": "1" } }]
  const creating = ensureTopics({ kafka: realBroker(), topics })
  await expect(creating).rejects.toThrow(/^Topic bad-\w+ could not be created: .*config/i)
})
