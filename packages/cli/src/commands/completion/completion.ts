import type { CliCommand, CommandGroup } from "../../command.ts"
import { bashScript } from "./bashScript.ts"
import { completionModel } from "./completionModel.ts"
import { fishScript } from "./fishScript.ts"
import { zshScript } from "./zshScript.ts"

const shells = {
  bash: { write: bashScript, example: 'eval "$(sitewire completion bash)"' },
  zsh: { write: zshScript, example: 'eval "$(sitewire completion zsh)"' },
  fish: { write: fishScript, example: "sitewire completion fish > ~/.config/fish/completions/sitewire.fish" },
}

/** `readCommands` returns all commands, also this one. */
export function completionGroup(readCommands: () => readonly (CliCommand | CommandGroup)[]): CommandGroup {
  const commands = Object.entries(shells).map(
    ([name, { write, example }]): CliCommand => ({
      name,
      description: `print the completion script for ${name}`,
      examples: [example],
      json: "The script itself, which --json does not change.",
      async run({ stdout }) {
        stdout.write(`${write(completionModel(readCommands()))}\n`)
      },
    }),
  )
  return { name: "completion", description: "completion of commands and options in a shell", commands }
}
