import { Command } from "commander"
import packageJson from "../package.json" with { type: "json" }
import { addChannelCreate } from "./commands/channelCreate.ts"
import { addChannelList } from "./commands/channelList.ts"
import { addChannelPause } from "./commands/channelPause.ts"
import { addChannelResume } from "./commands/channelResume.ts"
import { addChannelSecretActivate } from "./commands/channelSecretActivate.ts"
import { addChannelSecretRetire } from "./commands/channelSecretRetire.ts"
import { addChannelSecretStage } from "./commands/channelSecretStage.ts"
import { addChannelSet } from "./commands/channelSet.ts"
import { addChannelSetAddress } from "./commands/channelSetAddress.ts"
import { addChannelShow } from "./commands/channelShow.ts"
import { addConnectionCreate } from "./commands/connectionCreate.ts"
import { addConnectionList } from "./commands/connectionList.ts"
import { addConnectionReplaceToken } from "./commands/connectionReplaceToken.ts"
import { addConnectionShow } from "./commands/connectionShow.ts"
import { addDeliveries } from "./commands/deliveries.ts"
import { addDeliveryResend } from "./commands/deliveryResend.ts"
import { addDeliveryShow } from "./commands/deliveryShow.ts"
import { addErase } from "./commands/erase.ts"
import { addJobCancel } from "./commands/jobCancel.ts"
import { addJobShow } from "./commands/jobShow.ts"
import { addJobs } from "./commands/jobs.ts"
import { addListen } from "./commands/listen.ts"
import { addPublishSitePaid } from "./commands/publishSitePaid.ts"
import { addRefused } from "./commands/refused.ts"
import { addReplay } from "./commands/replay.ts"
import { addResend } from "./commands/resend.ts"
import { addSnapshot } from "./commands/snapshot.ts"
import { addSyncs } from "./commands/syncs.ts"
import { addTrigger } from "./commands/trigger.ts"
import { addVerify } from "./commands/verify.ts"
import { examples } from "./examples.ts"
import { openSession, type Session, type Surroundings } from "./session.ts"
import { withoutTokens } from "./withoutTokens.ts"

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
