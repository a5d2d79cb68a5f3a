import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFile, mkdir } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import type { Fault } from "../faults/driveFaults.ts"
import type { MixedLedger } from "../mixed/reconcile.ts"
import { startMixed } from "../mixed/startMixed.ts"
import { type RunSettings, runOnLab, shortDelaysMs } from "../run.ts"
import { createLogins, installationWithLogins } from "./logins.ts"
import { type Procedure, suspensionPage } from "./procedures.ts"
import { readSteps } from "./readSteps.ts"
import { writeStandIns } from "./standIns.ts"
import { type Secrets, startSystem } from "./startSystem.ts"

const root = new URL("../../../../../", import.meta.url)

/**
 * Executes the shell examples of the procedure's pages, in order and in one shell, on an installation under load of both
 * flows. Then compares what was accepted with what arrived.
 */
export async function runProcedure(
  settings: Omit<RunSettings, "brokerCount"> & { procedure: Procedure },
): Promise<{ ledger: MixedLedger; faults: Fault[] }> {
  const { procedure, seed, quietMs, progress } = settings
  const { pages, brokerCount, kafkaVersion } = procedure
  const versions = Array.from({ length: brokerCount + 1 }, () => kafkaVersion)
  const [suspension = [], ...procedureSteps] = await Promise.all(
    [suspensionPage, ...pages].map((page) => readSteps(new URL(page, root))),
  )
  if (procedureSteps.flat().length === 0)
    throw new Error(`${pages.join(", ")}: no example is marked for this run`)
  const steps = [...suspension, ...procedureSteps.flat()]
  const options = {
    ...settings,
    brokerCount,
    retryDelaysMs: shortDelaysMs,
    ...(procedure.logins && installationWithLogins),
    ...(kafkaVersion && { kafkaVersion: (broker: number) => versions[broker] ?? kafkaVersion }),
  }
  return runOnLab(options, async ({ it, faults }) => {
    const secrets: Secrets = {}
    const cwd = join(it.directory, "procedure")
    const overlay = join(cwd, "overlay")
    await mkdir(overlay, { recursive: true })
    await copyFile(
      new URL("deploy/kustomize/overlays/production/kustomization.yaml", root),
      join(overlay, "kustomization.yaml"),
    )
    const system = startSystem(it, { progress, secrets, overlay })
    const ssh = async (host: string, command: string) => {
      const at = Number(/^kafka-(\d+)$/.exec(host)?.[1])
      const broker = it.servers.brokers[at - 1]
      const version = /\/opt\/kafka-([\d.]+)/.exec(command)?.[1]
      if (!broker || !version) throw new Error(`the stand-in for ssh does not know: ssh ${host} ${command}`)
      progress(`ssh ${host}: Kafka ${version}`)
      await broker.halt("orderly")
      versions[at] = version
      await broker.resume()
      return ""
    }
    const bin = join(cwd, "bin")
    const standIns = await writeStandIns(bin, { kubectl: system.kubectl, ssh })
    const logins = procedure.logins && (await createLogins(it, { bin, folder: cwd, secrets }))

    await system.start()
    const { gateways, publishTo: topic } = system
    const mixed = await startMixed({ it, seed, progress, gateways, topic, rates: settings.rates })
    await sleep(10_000)
    const env = {
      PATH: [bin, process.env.PATH].join(delimiter),
      HOME: cwd,
      LC_ALL: "C.UTF-8",
      DATABASE_URL: it.databaseUrl,
      KAFKA_BROKERS: it.brokers.join(","),
      TOPIC_PREFIX: "",
      OVERLAY: overlay,
      ...procedure.env,
    }
    const trimmed = steps.map((step, at) => `echo "--- step ${at + 1} of ${steps.length}"\n${step}`)
    try {
      await runInShell(trimmed.join("\n"), { cwd, env, progress })
      progress("the steps are done")
      await sleep(5_000)
      await logins?.verify()
    } catch (error) {
      await mixed.stop().catch(() => {})
      throw error
    } finally {
      standIns.stop()
    }
    const ledger = await mixed.finish(quietMs)
    await system.end()
    const isAccepted = procedure.mayReject === true || ledger.rejected === 0
    return { ...ledger, holds: ledger.holds && isAccepted && faults.length === 0 }
  })
}

async function runInShell(
  script: string,
  { cwd, env, progress }: { cwd: string; env: Record<string, string>; progress: (line: string) => void },
): Promise<void> {
  const shell = ["-euo", "pipefail", "-c", script]
  const child = spawn("bash", shell, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on("line", (line) => line.trim() !== "" && progress(`  ${line}`))
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`the steps end with ${code ?? "a signal"}; the lines above say why`)
}
