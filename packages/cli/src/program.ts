import { Command } from "commander"
import packageJson from "../package.json" with { type: "json" }
import { addChannelCreate } from "./commands/channel/create.ts"
import { addChannelList } from "./commands/channel/list.ts"
import { addChannelPause } from "./commands/channel/pause.ts"
import { addChannelResume } from "./commands/channel/resume.ts"
import { addChannelSecretActivate } from "./commands/channel/secret/activate.ts"
import { addChannelSecretRetire } from "./commands/channel/secret/retire.ts"
import { addChannelSecretStage } from "./commands/channel/secret/stage.ts"
import { addChannelSet } from "./commands/channel/update.ts"
import { addChannelSetAddress } from "./commands/channel/updateAddress.ts"
import { addChannelShow } from "./commands/channel/show.ts"
import { addConnectionCreate } from "./commands/connection/create.ts"
import { addConnectionList } from "./commands/connection/list.ts"
import { addConnectionReplaceToken } from "./commands/connection/replaceToken.ts"
import { addConnectionShow } from "./commands/connection/show.ts"
import { addDeliveries } from "./commands/delivery/list.ts"
import { addDeliveryResend } from "./commands/delivery/resend.ts"
import { addDeliveryShow } from "./commands/delivery/show.ts"
import { addErase } from "./commands/erasure/create.ts"
import { addJobCancel } from "./commands/job/cancel.ts"
import { addJobShow } from "./commands/job/show.ts"
import { addJobs } from "./commands/job/list.ts"
import { addListen } from "./commands/listen/listen.ts"
import { addPublishSitePaid } from "./commands/publish/sitePaid.ts"
import { addRefused } from "./commands/event/listInvalid.ts"
import { addReplay } from "./commands/event/replay.ts"
import { addResend } from "./commands/delivery/resendAll.ts"
import { addSnapshot } from "./commands/connection/showSnapshot.ts"
import { addSyncs } from "./commands/sync/list.ts"
import { addTrigger } from "./commands/trigger/trigger.ts"
import { addVerify } from "./commands/verify/verify.ts"
import { examples } from "./examples.ts"
import { openSession, type Session, type Surroundings } from "./session/openSession.ts"
import { withoutTokens } from "./errors/redactTokens.ts"

/** What every command is registered with. `open` gives a command what it works with, once it runs. */
export type Setup = { open: (command: Command) => Session; outcome: { exitCode: number } }

/** The command tree. `outcome.exitCode` is set by commands that end well without having succeeded. */
export function buildProgram(surroundings: Surroundings, outcome: Setup["outcome"]): Command {
  const { stdout, stderr } = surroundings
  const setup: Setup = { open: (command) => openSession(surroundings, command), outcome }
  const program = new Command("sitewire")
    .description("Channels, connections, deliveries and syncs of Sitewire, from the command line.")
    .version(packageJson.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    // Before the subcommands are made: they inherit these.
    .exitOverride()
    .showHelpAfterError("Run it with --help to see what it takes.")
    .configureHelp({ showGlobalOptions: true, helpWidth: stdout.columns ?? 100 })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(withoutTokens(text)),
    })
    .option("--json", "print JSON: exactly the management API's, lists as {data, next_cursor}")
    .option("--api <url>", "the management API (SITEWIRE_API)")
    .option("--kafka <host:port>", "Kafka's brokers, separated by commas (KAFKA_BROKERS)")
    .addHelpText("after", whereThingsAre)
    .addHelpText("after", rootExamples)

  const group = (name: string, description: string) =>
    program.command(name).description(description).helpCommand(false)

  const channel = group("channel", "sales channels: where site.ready goes")
  addChannelCreate(channel, setup)
  addChannelList(channel, setup)
  addChannelShow(channel, setup)
  addChannelSetAddress(channel, setup)
  addChannelSet(channel, setup)
  addChannelPause(channel, setup)
  addChannelResume(channel, setup)
  const secret = channel.command("secret").description("replace a channel's signing secret, in three steps")
  secret.helpCommand(false)
  addChannelSecretStage(secret, setup)
  addChannelSecretActivate(secret, setup)
  addChannelSecretRetire(secret, setup)

  const connection = group("connection", "connections: a partner's data source on a site")
  addConnectionCreate(connection, setup)
  addConnectionList(connection, setup)
  addConnectionShow(connection, setup)
  addConnectionReplaceToken(connection, setup)

  addPublishSitePaid(group("publish", "publish events to Kafka"), setup)
  addTrigger(program, setup)
  addSyncs(program, setup)
  addSnapshot(program, setup)

  addDeliveries(program, setup)
  const delivery = group("delivery", "one delivery: its attempts, and sending it again")
  addDeliveryShow(delivery, setup)
  addDeliveryResend(delivery, setup)

  addResend(program, setup)
  addRefused(program, setup)
  addReplay(program, setup)
  addErase(program, setup)
  addJobs(program, setup)
  const job = group("job", "one job: how far it is, and ending it")
  addJobShow(job, setup)
  addJobCancel(job, setup)

  addVerify(program, setup)
  addListen(program, setup)
  return program
}

const whereThingsAre = `
Addresses and the key come from the options, else from the environment (SITEWIRE_API, SITEWIRE_API_KEY,
KAFKA_BROKERS, TOPIC_PREFIX; KAFKA_TLS, KAFKA_CA, KAFKA_USERNAME, KAFKA_PASSWORD and
KAFKA_SASL_MECHANISM as the services read them), else from .sitewire/local.json in this folder or above,
which the local stack writes (npm start). Inside the repository: npm run --silent sitewire -- COMMAND

Exit codes: 0 done, 1 refused or failed, 2 used wrongly, 3 could not be reached.`

const rootExamples = examples(
  "sitewire channel create --id acme --address https://partner.example/sitewire",
  "sitewire publish site.paid --channel acme",
  "sitewire deliveries --channel acme",
  "sitewire connection create --site bakery.example --source https://partner.example/data.json",
  "sitewire trigger CONNECTION --times 5",
)
