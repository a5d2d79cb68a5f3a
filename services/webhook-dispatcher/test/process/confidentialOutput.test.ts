import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, secret, startInstallation } from "../fixtures/testDispatcher.ts"

test("no log line, metric or internal topic contains an address or a secret, whatever the outcome of a delivery", async () => {
  await using it = await startInstallation({ retryDelaysMs: [300] })
  const echo = (status: number) =>
    startReceiver(({ body }, response) => void response.writeHead(status, { said: "no" }).end(body))
  const [takes, rejects, hangs] = await Promise.all([echo(200), echo(500), startReceiver(() => {})])
  await it.channel("takes", takes.url)
  await it.channel("rejects", rejects.url)
  await it.channel("hangs", hangs.url)
  const [waiting, dead] = [await it.read(it.names.retry[0] ?? ""), await it.read(it.names.dead)]
  const dispatcher = await it.dispatcher({
    LOG_LEVEL: "trace",
    RETRY_PERIOD: "1s",
    DELIVERY_TIMEOUT: "500ms",
    CHANNEL_MAX_CONCURRENCY: "1",
    CHANNEL_MAX_WAIT: "0ms",
    BREAKER_FAILURES: "2",
  })
  const email = "owner@shop.example"
  await it.publishPaid(
    ["takes", "rejects", "hangs", "hangs", "nobody"].map((channel, at) =>
      paid(`shop-${at}`, { channel, email }),
    ),
  )
  await it.publish([{ topic: it.names.sitePaid, key: "bad", value: `{"email": "${email}"` }])
  await waitUntil("three dead letters", () => dead.length === 3)
  const metrics = await dispatcher.metrics()
  for (const outcome of ["delivered", "status", "timeout"]) expect(metrics).toContain(`outcome="${outcome}"`)
  expect(metrics).toContain('outcome="invalid"')
  expect(metrics).toContain("sitewire_deliveries_deferred_total{reason=")
  const output = dispatcher.output()
  expect(output).toContain('"level":"debug"')
  expect(waiting.length).toBeGreaterThan(0)
  const topics = [...waiting, ...dead].map(
    ({ key, value, headers }) => `${key} ${value} ${JSON.stringify(headers)}`,
  )
  for (const place of [output, metrics, topics.join("\n")]) {
    expect(place).not.toContain("owner")
    expect(place).not.toContain(secret)
    expect(place).not.toMatch(/sha256=|site\.ready"/)
  }
  await Promise.all([takes.close(), rejects.close(), hangs.close()])
})
