import type { KafkaOptions } from "@sitewire/kafka"
import { ConfigurationError, kafkaAuthVariables, kafkaOptions, readConfig } from "@sitewire/runtime"
import { unreachable, usage } from "../errors/failure.ts"
import { findLocalStack, localStackFile } from "./localStack.ts"

/** What says where things are: options before the environment before the local stack's file. */
export type Sources = {
  options: { api?: string; kafka?: string; topicPrefix?: string }
  env: NodeJS.ProcessEnv
  cwd: string
}

export type ApiTarget = {
  api: string
  key: string
  /** The address is the local stack's own, from its file. */
  local: boolean
}

export type KafkaTarget = { access: KafkaOptions; topicPrefix: string; local: boolean }

/** What an Authorization header can carry as a bearer key (RFC 6750). */
const keyForm = /^[\w.~+/-]+=*$/

const howToStart = "Start the local stack (npm start)"

/** The management API's address and key. A Failure says what is missing and how to give it. */
export function findApi({ options, env, cwd }: Sources): ApiTarget {
  const given = options.api ?? filled(env.SITEWIRE_API)
  const givenKey = filled(env.SITEWIRE_API_KEY?.trim())
  const found = given === undefined || givenKey === undefined ? findLocalStack(cwd) : null
  const api = given ?? found?.stack.console
  if (api === undefined) throw unreachable(nothingFound("the management API", "--api URL or SITEWIRE_API"))
  if (!isHttpUrl(api)) {
    throw usage("The management API's address is no http or https URL. Give it as http://host:port.")
  }
  if (holdsCredentials(api)) {
    throw usage(
      "The management API's address holds a user name or password, which it does not take. " +
        "Give it as http://host:port, and the key in SITEWIRE_API_KEY.",
    )
  }
  if (givenKey !== undefined && !keyForm.test(givenKey)) {
    throw usage(
      "SITEWIRE_API_KEY holds a character that no key has, such as a quotation mark or a line break. " +
        "Set it to exactly what was printed when the key was made.",
    )
  }
  const local = found !== null && sameOrigin(api, found.stack.console)
  // The local stack's key goes to the local stack only: another address is somebody else's.
  const key = givenKey ?? (local ? found.stack.apiKey : undefined)
  if (key === undefined) {
    throw usage(`No key for the management API at ${new URL(api).origin}. Put it into SITEWIRE_API_KEY.`)
  }
  return { api, key, local: local && given === undefined }
}

/** The brokers, and what stands before the topics' names. */
export function findKafka({ options, env, cwd }: Sources): KafkaTarget {
  const given = options.kafka ?? filled(env.KAFKA_BROKERS)
  const prefix = options.topicPrefix ?? filled(env.TOPIC_PREFIX)
  const found = given === undefined ? findLocalStack(cwd) : null
  const text = given ?? found?.stack.kafka
  if (text === undefined) throw unreachable(nothingFound("Kafka", "--kafka HOST:PORT or KAFKA_BROKERS"))
  const brokers = text
    .split(",")
    .map((broker) => broker.trim())
    .filter((broker) => broker !== "")
  if (brokers.length === 0 || !brokers.every((broker) => /^([^\s:/]+|\[[^\]]+\]):\d+$/.test(broker))) {
    throw usage("The brokers are not host:port, or several of them separated by commas.")
  }
  // The local stack is open, and what the environment holds is for another.
  const access = found === null ? readAccess(brokers, env) : { brokers }
  return { access, topicPrefix: prefix ?? found?.stack.topicPrefix ?? "", local: found !== null }
}

function readAccess(brokers: string[], env: NodeJS.ProcessEnv): KafkaOptions {
  try {
    return kafkaOptions({ KAFKA_BROKERS: brokers, ...readConfig(kafkaAuthVariables, env) })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw usage(error.message)
  }
}

/** What to do about an address that does not answer. */
export function adviseUnreachable(local: boolean): string {
  return local
    ? `The address comes from ${localStackFile}, so the local stack has probably been stopped: npm start.`
    : `Check the address and that it runs; on your own machine: npm start.`
}

function nothingFound(what: string, how: string): string {
  return (
    `Nothing says where ${what} is: there is no ${localStackFile} in this folder or above. ` +
    `${howToStart}, or give ${how}.`
  )
}

function filled(value: string | undefined): string | undefined {
  return value === "" ? undefined : value
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function holdsCredentials(url: string): boolean {
  const { username, password } = new URL(url)
  return username !== "" || password !== ""
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(other) && new URL(one).origin === new URL(other).origin
}
