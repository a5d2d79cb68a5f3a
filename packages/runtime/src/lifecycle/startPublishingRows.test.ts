import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { createLogger } from "../logging/logger.ts"
import { startPublishingRows } from "./startPublishingRows.ts"

const log = createLogger({ service: "test", level: "silent" })

/** Rows of which some are not acknowledged, as those of a partition without a leader, until `recover` is called. */
function startWithRows(stuck: number) {
  const rows = new Map(
    Array.from({ length: stuck }, (_, n) => [`stuck-${n}`, { wasClaimed: true, isLeased: false }]),
  )
  const recovered = Promise.withResolvers<void>()
  const settled: string[] = []
  const publishing = startPublishingRows<string>({
    async claim({ most, mostRepeated }) {
      const free = [...rows].filter(([, { isLeased }]) => !isLeased)
      const repeated = free.filter(([, { wasClaimed }]) => wasClaimed).slice(0, mostRepeated)
      const claimed = [...free.filter(([, { wasClaimed }]) => !wasClaimed), ...repeated].slice(0, most)
      for (const [, row] of claimed) Object.assign(row, { wasClaimed: true, isLeased: true })
      return claimed.map(([id]) => id)
    },
    async publish(id) {
      if (id.startsWith("stuck")) await recovered.promise
      return true
    },
    settle: async (ids) => void settled.push(...ids),
    intervalMs: 1,
    failed: "failed",
    log,
  })
  const add = (id: string) => rows.set(id, { wasClaimed: false, isLeased: false })
  return { publishing, add, settled, recover: recovered.resolve }
}

test("rows that Kafka does not acknowledge hold up no others, however many they are", async () => {
  const { publishing, add, settled, recover } = startWithRows(20_000)
  onTestFinished(() => {
    recover()
    return publishing.close()
  })
  for (const id of ["a", "b", "c"]) {
    add(id)
    await waitUntil(`${id} to be settled`, () => settled.includes(id))
  }
  expect(settled).toEqual(["a", "b", "c"])
})

test("closing waits for what is being published, and settles it", async () => {
  const { publishing, add, settled, recover } = startWithRows(3)
  add("a")
  await waitUntil("a to be settled", () => settled.includes("a"))
  const closed = publishing.close()
  recover()
  await closed
  expect(settled.toSorted()).toEqual(["a", "stuck-0", "stuck-1", "stuck-2"])
})

test("rows that could not be settled are settled before others are claimed, and closing does not fail", async () => {
  let isAvailable = false
  const calls: string[] = []
  const rows = ["a", "b"]
  const publishing = startPublishingRows<string>({
    async claim() {
      calls.push("claim")
      return rows.splice(0, 1)
    },
    publish: async () => true,
    async settle(ids) {
      calls.push(`settle ${ids}`)
      if (!isAvailable) throw new Error("Postgres is unavailable")
    },
    intervalMs: 1,
    failed: "failed",
    log,
  })
  await waitUntil("some failures", () => calls.length > 4)
  expect(new Set(calls)).toEqual(new Set(["claim", "settle a"]))
  expect(calls.filter((call) => call === "claim")).toHaveLength(1)
  isAvailable = true
  await waitUntil("the other row", () => calls.includes("settle b"))
  isAvailable = false
  rows.push("c")
  await waitUntil("the last row", () => calls.includes("settle c"))
  await publishing.close()
})
