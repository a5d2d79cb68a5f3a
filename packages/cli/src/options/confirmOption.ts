import { Option } from "commander"

export type ConfirmOptions = { yes?: boolean }

/** For commands that call `session.confirm`. */
export const confirmOption = new Option("-y, --yes", "do it without asking; required if no terminal can ask")
