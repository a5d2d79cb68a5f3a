import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { topicNames } from "@sitewire/contracts"
import type { ServiceName, SupervisedProcess } from "@sitewire/testkit/installation"
import { schedulerVariables } from "../mixed/startMixed.ts"
import type { ChaosLab } from "../run.ts"
import type { Platform } from "./standIns.ts"

export const retryDelaysMs = [1_000, 3_000, 9_000]

const deployments: Record<string, ServiceName> = {
  "trigger-gateway": "gateway",
  "sync-scheduler": "scheduler",
  "webhook-dispatcher": "dispatcher",
  console: "console",
}

const own: Record<ServiceName, Record<string, string>> = {
  // A connection to Postgres is opened within a quarter of the deadline, on cores that are busy starting processes.
  gateway: { GATEWAY_DRAIN_DELAY: "500ms", GATEWAY_DEADLINE: "10s" },
  scheduler: schedulerVariables,
  dispatcher: { OVERDUE_AFTER: "5s" },
  console: {},
}

/** The Secrets of the deployments, by name and key, as deploy/kustomize/base reads them. */
export type Secrets = Record<string, Record<string, string>>

/**
 * The deployments of an installation as processes, with two replicas each, and the commands that change them as
 * `kubectl` would. `publisher` stands for the service that publishes events: its TOPIC can be set.
 */
export function startSystem(it: ChaosLab, progress: (line: string) => void, secrets: Secrets = {}) {
  const settings: Record<string, Record<string, string>> = {}
  const common: Record<string, string> = {}
  const replicas = Object.fromEntries(Object.keys(deployments).map((name) => [name, 2]))
  const variables = (name: string, service: ServiceName) => ({
    ...own[service],
    ...common,
    ...settings[name],
    ...secrets["kafka-login"],
    ...(secrets[`${name}-database`] && { DATABASE_URL: secrets[`${name}-database`]?.url ?? "" }),
  })
  const members: Record<string, SupervisedProcess[]> = Object.fromEntries(
    Object.entries(deployments).map(([name, service]) => [
      name,
      [1, 2].map((at) => it.service(`${name}-${at}`, service, () => variables(name, service))),
    ]),
  )
  let publishTo = topicNames({ prefix: "", retryDelaysMs }).sitePaid

  const membersOf = (name: string) => (members[name] ?? []).slice(0, replicas[name])

  async function scale(name: string, count: number): Promise<void> {
    replicas[name] = count
    for (const [at, member] of (members[name] ?? []).entries())
      if (at < count) await member.start()
      else await member.end()
  }

  async function restart(name: string): Promise<void> {
    for (const member of membersOf(name)) {
      await member.end()
      await member.start()
    }
  }

  /** `kubectl apply -k`: runs the setup job, unless only the rest is applied, and restarts what has changed. */
  async function apply(folder: string, onlyFirst: boolean): Promise<string> {
    const text = await readFile(join(folder, "kustomization.yaml"), "utf8")
    const prefix = /TOPIC_PREFIX=(\S*)/.exec(text)?.[1] ?? ""
    if (onlyFirst) {
      await it.migrate(retryDelaysMs, { TOPIC_PREFIX: prefix })
      return "configmap/sitewire-common\njob.batch/setup-1\n"
    }
    const hasChanged = (common.TOPIC_PREFIX ?? "") !== prefix
    common.TOPIC_PREFIX = prefix
    for (const name of Object.keys(deployments)) {
      if (replicas[name] === 0) await scale(name, 2)
      else if (hasChanged) await restart(name)
    }
    return "deployments applied\n"
  }

  /** The deployments that a command names. Throws if kubectl would not find one of them in the namespace. */
  function namesIn(namespace: string | undefined, args: readonly string[]): string[] {
    const names = args.flatMap((arg, at) => {
      if (arg.startsWith("deployment/")) return [arg.slice("deployment/".length)]
      return args[1] === "deployment" && at > 1 && !arg.startsWith("-") ? [arg] : []
    })
    const known =
      namespace === "sitewire" ? Object.keys(deployments) : namespace === "shop" ? ["publisher"] : []
    const unknown = names.filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new Error(`there is no deployment ${unknown} in the namespace ${namespace}`)
    return names.filter((name) => name in deployments)
  }

  function secretOf(args: readonly string[]): Record<string, string> {
    const name = args[2] ?? ""
    const secret = secrets[name]
    if (secret === undefined) throw new Error(`there is no Secret ${name}`)
    return secret
  }

  async function kubectl(all: readonly string[], input: string): Promise<string> {
    const namespace = all[all.indexOf("-n") + 1]
    const args = all.filter((arg, at) => arg !== "-n" && all[at - 1] !== "-n")
    progress(`kubectl ${args.join(" ")}`)
    const names = namesIn(all.includes("-n") ? namespace : undefined, args)
    const [verb, second] = args
    if (verb === "apply")
      return apply(args[args.indexOf("-k") + 1] ?? "", args.includes("sitewire/apply=first"))
    // Members have ended and started, and the setup job has run, when the command that causes it returns.
    if (verb === "wait" || (verb === "rollout" && second === "status")) return "done\n"
    if (verb === "delete" && second === "job") return "job.batch/setup-1 deleted\n"
    if (verb === "get" && second === "secret") {
      const key = /^jsonpath=\{\.data\.(\w+)\}$/.exec(args.at(-1) ?? "")?.[1] ?? ""
      return Buffer.from(secretOf(args)[key] ?? "").toString("base64")
    }
    if (verb === "patch" && second === "secret") {
      const { stringData } = JSON.parse(input) as { stringData: Record<string, string> }
      Object.assign(secretOf(args), stringData)
      return `secret/${args[2]} patched\n`
    }
    if (verb === "get" && second === "pod") {
      const pods = Object.keys(deployments).flatMap((name) =>
        membersOf(name).map((pod) => `pod/${pod.name}\n`),
      )
      return pods.join("")
    }
    if (verb === "rollout" && second === "restart") {
      await Promise.all(names.map(restart))
      return `${names.join(" ")} restarted\n`
    }
    if (verb === "scale") {
      const count = Number(args.find((arg) => arg.startsWith("--replicas="))?.slice(11))
      await Promise.all(names.map((name) => scale(name, count)))
      return `${names.join(" ")} scaled\n`
    }
    if (verb === "set" && second === "env") {
      const pairs = args
        .filter((arg) => /^[A-Z_]+=/.test(arg))
        .map((arg) => arg.split("=") as [string, string])
      if (args.includes("deployment/publisher")) publishTo = Object.fromEntries(pairs).TOPIC ?? publishTo
      const removed = args.filter((arg) => /^[A-Z_]+-$/.test(arg)).map((arg) => arg.slice(0, -1))
      for (const name of names) {
        const kept = Object.entries(settings[name] ?? {}).filter(([key]) => !removed.includes(key))
        settings[name] = Object.fromEntries([...kept, ...pairs])
      }
      await Promise.all(names.map(restart))
      return `${names.join(" ")} updated\n`
    }
    throw new Error(`the stand-in for kubectl does not know: kubectl ${args.join(" ")}`)
  }

  return {
    kubectl: kubectl satisfies Platform["kubectl"],
    gateways: () => membersOf("trigger-gateway"),
    publishTo: () => publishTo,
    start: () => Promise.all(Object.keys(deployments).map((name) => scale(name, 2))),
    end: () =>
      Promise.all(
        Object.values(members)
          .flat()
          .map((member) => member.end()),
      ),
  }
}
