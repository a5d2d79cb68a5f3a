import { fields } from "@sitewire/contracts/views"
import { Option } from "commander"
import { z } from "zod"
import type { CliCommand, CommandGroup } from "../command.ts"
import { factsBlock, fieldTable } from "../derive/viewText.ts"
import { incorrectUsage } from "../errors/failure.ts"
import { type ConfirmOptions, confirmOption } from "../options/pageOptions.ts"
import { findProfile, type Profiles, profilesFile, readProfiles, writeProfiles } from "../profile/profiles.ts"
import type { Session } from "../session/createSession.ts"
import { checkApiAddress, checkKey } from "../target/findApi.ts"

const shownProfileSchema = z
  .object({
    name: z.string(),
    api: z.string(),
    kafka: z.string().nullable(),
    topic_prefix: z.string().nullable(),
    in_use: z.boolean(),
  })
  .meta({ id: "Profile" })

type ShownProfile = z.infer<typeof shownProfileSchema>

/** Without the key, which no command prints. */
function shownProfile({ current, profiles }: Profiles, name: string): ShownProfile {
  const { api = "", kafka = null, topic_prefix = null } = profiles[name] ?? {}
  return { name, api, kafka, topic_prefix, in_use: name === current }
}

const facts = fields<ShownProfile>(
  ["name", { label: "profile" }],
  ...(["api", "kafka", "topic_prefix"] as const),
  ["in_use", { value: ({ in_use }) => (in_use ? "yes" : "no") }],
)
const columns = fields<ShownProfile>(
  ["in_use", { label: "", value: ({ in_use }) => (in_use ? "*" : "") }],
  ["name", { as: "id" }],
  ...(["api", "kafka", "topic_prefix"] as const),
)

type Options = { api?: string; kafka?: string; topicPrefix?: string; keyEnv?: string; keyFile?: string }

const addProfile: CliCommand = {
  name: "add",
  description: "store an installation's address and API key under a name; replaces a profile of this name",
  arguments: [["<name>", "letters, digits, - and _"]],
  options: [
    new Option("--key-env <name>", "the environment variable that contains the API key"),
    new Option("--key-file <file>", "the file that contains the API key; - is standard input (default)"),
    new Option("--topic-prefix <prefix>", "the prefix of the topics' names (TOPIC_PREFIX)"),
  ],
  notes:
    "--api is required. The key is typed, or read from standard input, a variable or a file; it is not an argument,\n" +
    "because other users of the machine can read arguments. It is stored in sitewire/profiles.json in the folder\n" +
    "for configuration (XDG_CONFIG_HOME, or ~/.config), which only you can read. The first profile is in use.",
  examples: [
    "sitewire profile add production --api https://sitewire.example",
    "sitewire profile add staging --api http://10.0.0.7:8091 --kafka 10.0.0.7:9092 --key-file key.txt",
  ],
  json: shownProfileSchema,
  async run(session, [name]: [string], { topicPrefix, ...source }: Options) {
    const { api, kafka } = session.options
    if (!/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/.test(name)) {
      throw incorrectUsage(
        "A profile's name has 1 to 64 letters, digits, - and _, and begins with a letter or digit.",
      )
    }
    if (api === undefined) throw incorrectUsage("The management API's address is missing: --api URL.")
    checkApiAddress(api)
    const before = readProfiles(session.env)
    const key = await readKey(session, source)
    const profile = {
      api,
      key,
      ...(kafka !== undefined && { kafka }),
      ...(topicPrefix !== undefined && { topic_prefix: topicPrefix }),
    }
    const after = { current: before.current ?? name, profiles: { ...before.profiles, [name]: profile } }
    writeProfiles(session.env, after)
    session.print(shownProfile(after, name), (shown, style) => factsBlock(facts, shown, style))
    session.note(
      `Stored in ${profilesFile(session.env)}. To check it: sitewire doctor --profile ${name}` +
        (after.current === name ? "" : `\nTo use it without --profile: sitewire profile use ${name}`),
    )
  },
}

async function readKey(session: Session, { keyEnv, keyFile }: Options): Promise<string> {
  if (keyEnv !== undefined && keyFile !== undefined) {
    throw incorrectUsage("Give the key with either --key-env or --key-file, not both.")
  }
  const text =
    keyEnv !== undefined
      ? (session.env[keyEnv] ?? "")
      : keyFile === undefined || keyFile === "-"
        ? await session.readLine("the API key", { hidden: true })
        : (await session.readInput(keyFile, "the API key")).toString()
  const key = text.trim()
  if (key === "")
    throw incorrectUsage("The API key is empty, or its variable is not set. Nothing was stored.")
  checkKey(key, "The API key")
  return key
}

const listProfiles: CliCommand = {
  name: "list",
  description: "list the profiles, without their keys",
  examples: ["sitewire profile list"],
  json: z.object({ data: z.array(shownProfileSchema) }),
  async run({ env, print }) {
    const profiles = readProfiles(env)
    const data = Object.keys(profiles.profiles).map((name) => shownProfile(profiles, name))
    print({ data }, (shown, style) =>
      shown.data.length === 0
        ? "No profiles. Add one: sitewire profile add NAME --api URL"
        : fieldTable(columns, shown.data, style),
    )
  },
}

const useProfile: CliCommand = {
  name: "use",
  description: "use this profile in commands for which nothing else is configured",
  arguments: [["<name>", "the profile's name"]],
  examples: ["sitewire profile use production"],
  json: shownProfileSchema,
  async run({ env, print }, [name]: [string]) {
    findProfile(env, name)
    const profiles = { ...readProfiles(env), current: name }
    writeProfiles(env, profiles)
    print(shownProfile(profiles, name), (shown, style) => factsBlock(facts, shown, style))
  },
}

const removeProfile: CliCommand = {
  name: "remove",
  description: "delete a profile and its key from this machine; the key itself stays valid",
  arguments: [["<name>", "the profile's name"]],
  options: [confirmOption],
  examples: ["sitewire profile remove staging"],
  json: shownProfileSchema,
  async run({ confirm, env, note, print }, [name]: [string], options: ConfirmOptions) {
    const { api } = findProfile(env, name)
    await confirm(
      options,
      () => `Delete the profile ${name} of ${api} and its key, which cannot be read again?`,
    )
    const profiles = readProfiles(env)
    const { [name]: _, ...others } = profiles.profiles
    const removed = shownProfile(profiles, name)
    writeProfiles(env, { current: profiles.current === name ? null : profiles.current, profiles: others })
    print(removed, (shown) => `The profile ${shown.name} is deleted.`)
    note("The installation still accepts its key. To change that: sitewire key revoke KEY")
  },
}

export const profile: CommandGroup = {
  name: "profile",
  description: "installations that this machine knows, with their API keys",
  commands: [addProfile, listProfiles, useProfile, removeProfile],
}
