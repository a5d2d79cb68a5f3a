import { randomUUID } from "node:crypto"
import { measureBareConsumer } from "@sitewire/kafka/bench"

const [brokers = "", topic = "", amount = "0"] = process.argv.slice(2)
const perSecond = await measureBareConsumer({
  brokers: brokers.split(","),
  topic,
  group: randomUUID(),
  amount: Number(amount),
})
process.send?.({ result: perSecond })
process.disconnect?.()
