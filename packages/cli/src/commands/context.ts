import type { Command } from 'commander';
import type { World } from '../world.ts';
import { nonEmpty } from './options.ts';

/** What `fairlead context` is told. */
export interface ContextOptions {
  readonly account?: string;
  readonly user: string;
  readonly data?: string;
}

/** The user that the history names where none is given. */
export const DEFAULT_USER = 'fairlead-cli';

/** `fairlead context` */
export function addContext(program: Command, world: World): void {
  program
    .command('context')
    .description('print the header with which one calls the services directly, good for 60 seconds')
    .option('--account <id>', 'on behalf of this account (default: the one that npm start made)', nonEmpty)
    .option('--user <id>', 'as this user of it', nonEmpty, DEFAULT_USER)
    .option('--data <folder>', 'data folder of the instance (default: .fairlead in the checkout)', nonEmpty)
    .addHelpText(
      'after',
      '\nCALLER_CONTEXT_KEY is the key of the installation; without it, the instance’s own is taken.',
    )
    .action(async (options: ContextOptions) => {
      // Loaded here: it brings the services' own libraries, which no other command needs.
      const { printContext } = await import('./print-context.ts');
      await printContext(options, world);
    });
}
