import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { block } from "../../output/block.ts"
import { profilesFile, readProfiles, writeProfiles } from "../../profile/profiles.ts"
import type { Session } from "../../session/createSession.ts"
import { checkApiAddress, checkKey } from "../../target/findApi.ts"
import { profileEntries } from "./profileEntries.ts"
import { shownProfile, shownProfileSchema } from "./profileSchema.ts"

type Options = { api?: string; kafka?: string; topicPrefix?: string; keyEnv?: string; keyFile?: string }

export const addProfile: CliCommand = {
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
    session.print(shownProfile(after, name), (shown, style) => block(style, profileEntries(shown)))
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
