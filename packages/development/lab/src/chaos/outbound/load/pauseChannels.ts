import { setTimeout as sleep } from "node:timers/promises"
import type { Random } from "../../random.ts"
import { pickChannel } from "../channels.ts"
import type { CallConsole } from "./callConsole.ts"

export async function pauseChannels(settings: {
  call: CallConsole
  random: Random
  everyMs: [number, number]
  pausedMs: [number, number]
  isOver: () => boolean
}): Promise<number> {
  const { call, random, everyMs, pausedMs, isOver } = settings
  const resuming: Promise<void>[] = []

  async function resume(channel: string): Promise<void> {
    while ((await call(`/v1/channels/${channel}/resume`))?.status !== 200) await sleep(200)
  }
  let count = 0
  while (!isOver()) {
    await sleep(random.between(...everyMs))
    const channel = pickChannel(random)
    const lasting = random.between(...pausedMs)
    // The channel is resumed even if there was no response, because it may have been paused.
    const response = await call(`/v1/channels/${channel}/pause`)
    if (response?.status === 200) count += 1
    resuming.push(sleep(lasting).then(() => resume(channel)))
  }
  await Promise.all(resuming)
  return count
}
