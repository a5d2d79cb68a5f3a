import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { stringify } from "yaml"
import { pickPort } from "../backing/pickPort.ts"
import { readyWithinMs } from "../deadlines.ts"
import { findTool } from "./findTool.ts"
import { readRules } from "./rules.ts"

/** Ends Prometheus when its standard input ends, also because our process was killed. */
const untilInputEnds = 'exec 3<&0; "$@" & child=$!; (cat <&3; kill $child) >/dev/null 2>&1 & wait $child'

export type Prometheus = { url: string; stop(): Promise<void> }

/** Starts a Prometheus with our alerts on the loopback. Its data is in `directory`, and is used again by the next start. */
export async function startPrometheus(settings: {
  directory: string
  /** Base URLs of processes that serve `/metrics`, by name. The name becomes the label `instance`. */
  targets: Readonly<Record<string, string>>
  /** 0: any free port. */
  port?: number
  /** Ctrl-C in the terminal then does not reach Prometheus. */
  ownProcessGroup?: boolean
}): Promise<Prometheus> {
  const { directory, targets, ownProcessGroup = false } = settings
  const file = findTool("prometheus")
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, "rules.yaml"), await readRules())
  await writeFile(join(directory, "prometheus.yaml"), configuration(targets))
  const port = await pickPort({ wanted: settings.port, service: "Prometheus" })
  const url = `http://127.0.0.1:${port}`
  const args = [
    `--config.file=${join(directory, "prometheus.yaml")}`,
    `--storage.tsdb.path=${join(directory, "data")}`,
    "--storage.tsdb.retention.time=15d",
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=warn",
  ]
  const child = spawn("sh", ["-c", untilInputEnds, "sh", file, ...args], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: ownProcessGroup,
  })
  let output = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-10_000)))
  const ended = once(child, "close").catch((error: unknown) => (output += String(error)))
  const isRunning = () => child.exitCode === null && child.signalCode === null
  child.on("exit", () => child.stdin.end())
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  for (const until = Date.now() + readyWithinMs; ; await sleep(100)) {
    const ready = await fetch(`${url}/-/ready`).catch(() => null)
    if (ready?.ok && isRunning()) return { url, stop }
    if (isRunning() && Date.now() < until) continue
    await stop()
    throw new Error(`Prometheus did not start on port ${port}:\n${output}`)
  }
}

function configuration(targets: Readonly<Record<string, string>>): string {
  const interval = "5s"
  const addresses = Object.entries(targets).map(([instance, address]) => ({
    targets: [new URL(address).host],
    labels: { instance },
  }))
  return stringify({
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ["rules.yaml"],
    scrape_configs: [{ job_name: "sitewire", static_configs: addresses }],
  })
}
