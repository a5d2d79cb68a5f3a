import { Option } from "commander"

export const operatorNotificationsOption = new Option(
  "--operator-notifications <switch>",
  "whether operator notifications are sent to this channel",
).choices(["on", "off"])
