import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { ServiceName } from "@sitewire/testkit/installation"
import { schedulerVariables } from "../mixed/startMixed.ts"
import { type ChaosLab, endAll, shortDelaysMs } from "../run.ts"

const deployments: Record<string, { service: ServiceName; env: Record<string, string> }> = {
  "trigger-gateway": { service: "gateway", env: { GATEWAY_DRAIN_DELAY: "500ms" } },
  "sync-scheduler": { service: "scheduler", env: schedulerVariables },
  "webhook-dispatcher": { service: "dispatcher", env: {} },
  console: { service: "console", env: {} },
}
const names = Object.keys(deployments)

/** The Secrets of the deployments, by name and key, as deploy/kustomize/base reads them. */
export type Secrets = Record<string, Record<string, string>>

/**
 * The deployments of an installation as processes, with two replicas each, and the commands that change them as
 * `kubectl` would. `publisher` stands for the service that publishes events: its TOPIC can be set. Flux would undo what differs from
 * `overlay` unless it is suspended, so a command fails that changes replicas or variables meanwhile, and so does a resume that
 * leaves differences.
 */
export function startSystem(
  it: ChaosLab,
  { progress, secrets, overlay }: { progress: (line: string) => void; secrets: Secrets; overlay: string },
) {
  const settings: Record<string, Record<string, string>> = {}
  const common: Record<string, string> = {}
  let publishTo = it.names.sitePaid
  let isSuspended = false
  const system = new Map(
    Object.entries(deployments).map(([name, { service, env }]) => {
      const variables = () => {
        const url = secrets[`${name}-database`]?.url
        const login = { ...secrets[`${name}-kafka`], ...(url && { DATABASE_URL: url }) }
        return { ...env, ...common, ...settings[name], ...login }
      }
      const members = [1, 2].map((at) => it.service(`${name}-${at}`, service, variables))
      return [name, { members, replicas: 2 }]
    }),
  )
  const membersOf = (name: string) => {
    const { members = [], replicas = 0 } = system.get(name) ?? {}
    return members.slice(0, replicas)
  }

  async function scale(name: string, replicas: number): Promise<void> {
    const deployment = system.get(name)
    if (!deployment) return
    deployment.replicas = replicas
    for (const [at, member] of deployment.members.entries())
      await (at < replicas ? member.start() : member.end())
  }

  async function restart(name: string): Promise<void> {
    for (const member of membersOf(name)) {
      await member.end()
      await member.start()
    }
  }

  async function readPrefix(folder: string): Promise<string> {
    const text = await readFile(join(folder, "kustomization.yaml"), "utf8")
    return /TOPIC_PREFIX=(\S*)/.exec(text)?.[1] ?? ""
  }

  function requireSuspension(): void {
    if (!isSuspended) throw new Error("Flux is not suspended, and would undo this")
  }

  async function setSuspended(patch: string): Promise<string> {
    isSuspended = (JSON.parse(patch) as { spec: { suspend: boolean } }).spec.suspend
    if (!isSuspended) {
      const differ = names.filter(
        (name) => system.get(name)?.replicas !== 2 || Object.keys(settings[name] ?? {}).length > 0,
      )
      if ((common.TOPIC_PREFIX ?? "") !== (await readPrefix(overlay))) differ.push("TOPIC_PREFIX")
      if (differ.length > 0) throw new Error(`Flux is resumed, and would undo what differs: ${differ}`)
    }
    return "kustomization patched\n"
  }

  /** `kubectl apply -k`: runs the setup job, unless only the rest is applied, and restarts what has changed. */
  async function apply(folder: string, onlyFirst: boolean): Promise<string> {
    const prefix = await readPrefix(folder)
    if (onlyFirst) {
      await it.migrate(shortDelaysMs, { TOPIC_PREFIX: prefix })
      return "configmap/sitewire-common\njob.batch/setup-1\n"
    }
    const hasChanged = (common.TOPIC_PREFIX ?? "") !== prefix
    common.TOPIC_PREFIX = prefix
    for (const name of names) {
      if (membersOf(name).length === 0) await scale(name, 2)
      else if (hasChanged) await restart(name)
    }
    return "deployments applied\n"
  }

  /** The deployments that a command names. Throws if kubectl would not find one of them in the namespace. */
  function namesIn(namespace: string | undefined, args: readonly string[]): string[] {
    const named = args.flatMap((arg, at) => {
      if (arg.startsWith("deployment/")) return [arg.slice("deployment/".length)]
      return args[1] === "deployment" && at > 1 && !arg.startsWith("-") ? [arg] : []
    })
    const known = namespace === "sitewire" ? names : namespace === "shop" ? ["publisher"] : []
    const unknown = named.filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new Error(`there is no deployment ${unknown} in the namespace ${namespace}`)
    return named.filter((name) => name in deployments)
  }

  function secretOf(name = ""): Record<string, string> {
    const secret = secrets[name]
    if (secret === undefined) throw new Error(`there is no Secret ${name}`)
    return secret
  }

  async function setVariables(names: readonly string[], args: readonly string[]): Promise<void> {
    const pairs = args.filter((arg) => /^[A-Z_]+=/.test(arg)).map((arg) => arg.split("=") as [string, string])
    if (args.includes("deployment/publisher")) publishTo = Object.fromEntries(pairs).TOPIC ?? publishTo
    const removed = args.filter((arg) => /^[A-Z_]+-$/.test(arg)).map((arg) => arg.slice(0, -1))
    for (const name of names) {
      const kept = Object.entries(settings[name] ?? {}).filter(([key]) => !removed.includes(key))
      settings[name] = Object.fromEntries([...kept, ...pairs])
    }
    await Promise.all(names.map(restart))
  }

  async function change(all: readonly string[], input: string): Promise<string> {
    const namespace = all.includes("-n") ? all[all.indexOf("-n") + 1] : undefined
    const args = all.filter((arg, at) => arg !== "-n" && all[at - 1] !== "-n")
    progress(`kubectl ${args.join(" ")}`)
    const named = namesIn(namespace, args)
    const [verb, second, third] = args
    switch (verb === "apply" || verb === "wait" || verb === "scale" ? verb : `${verb} ${second}`) {
      case "apply":
        return apply(args[args.indexOf("-k") + 1] ?? "", args.includes("sitewire/apply=first"))
      // Members have ended and started, and the setup job has run, when the command that causes it returns.
      case "wait":
      case "rollout status":
      case "delete job":
        return "done\n"
      case "get secret": {
        const key = /^jsonpath=\{\.data\.(\w+)\}$/.exec(args.at(-1) ?? "")?.[1] ?? ""
        return Buffer.from(secretOf(third)[key] ?? "").toString("base64")
      }
      case "patch secret":
        Object.assign(
          secretOf(third),
          (JSON.parse(input) as { stringData: Record<string, string> }).stringData,
        )
        return `secret/${third} patched\n`
      case "patch kustomization.kustomize.toolkit.fluxcd.io":
        return setSuspended(args.at(-1) ?? "")
      case "get pod":
        return names.flatMap((name) => membersOf(name).map((pod) => `pod/${pod.name}\n`)).join("")
      case "rollout restart":
        await Promise.all(named.map(restart))
        break
      case "scale": {
        requireSuspension()
        const count = Number(args.find((arg) => arg.startsWith("--replicas="))?.slice(11))
        await Promise.all(named.map((name) => scale(name, count)))
        break
      }
      case "set env":
        if (named.length > 0) requireSuspension()
        await setVariables(named, args)
        break
      default:
        throw new Error(`the stand-in for kubectl does not know: kubectl ${args.join(" ")}`)
    }
    return `${named.join(" ")} changed\n`
  }

  return {
    kubectl: change,
    gateways: () => membersOf("trigger-gateway"),
    publishTo: () => publishTo,
    start: () => Promise.all(names.map((name) => scale(name, 2))),
    end: () => endAll([...system.values()].flatMap(({ members }) => members)),
  }
}
