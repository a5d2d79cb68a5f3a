import { Option } from "commander"

/** Options of every command. */
export const globalOptions: readonly Option[] = [
  new Option("--json", "print JSON, in the form that the reference page documents"),
  new Option(
    "--wide",
    "tables with all columns, and with whole ids, times and texts, also on a narrow terminal",
  ),
  new Option("--profile <name>", "the installation to use (SITEWIRE_PROFILE); see `sitewire profile`"),
  new Option("--api <url>", "the management API (SITEWIRE_API)"),
  new Option("--kafka <host:port>", "Kafka's brokers, separated by commas (KAFKA_BROKERS)"),
  new Option("--no-color", "no colours (NO_COLOR)"),
]
