import { Argument } from 'commander';
import type { Command } from 'commander';
import { COMPLETION_SCRIPTS, SHELLS } from '../completion/scripts.ts';
import type { Shell } from '../completion/scripts.ts';
import type { World } from '../world.ts';

/** `fairlead completion` */
export function addCompletion(program: Command, world: World): void {
  program
    .command('completion')
    .description('print the script that completes this command in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText(
      'after',
      '\nbash, zsh: eval "$(fairlead completion bash)"\nfish: fairlead completion fish | source',
    )
    .action((shell: Shell) => {
      world.out.write(COMPLETION_SCRIPTS[shell]);
    });
}
