import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { World } from '../world.ts';
import { nonEmpty } from './options.ts';
import type { ContextOptions } from './print-context.ts';

/** `fairlead context` */
export function addContext(program: Command, world: World): void {
  program
    .command('context')
    .description('print the header for calling a service directly; it is valid for 60 seconds')
    .requiredOption(
      '--for <service>',
      'the service to call, such as catalog; no other accepts it',
      serviceName,
    )
    .option('--account <id>', 'call as this account (default: the one that npm start created)', nonEmpty)
    .option('--user <id>', 'call as this user of the account (default: fairlead-cli)', nonEmpty)
    .option('--data <folder>', 'data folder of the instance (default: .fairlead in the checkout)', nonEmpty)
    .addHelpText(
      'after',
      '\nCALLER_CONTEXT_KEYS holds the keys of the installation; without it, the instance’s own are taken.',
    )
    .action(async (options: ContextOptions) => {
      // Imported here, because it needs the services' own libraries, which no other command needs.
      const { printContext } = await import('./print-context.ts');
      await printContext(options, world);
    });
}

function serviceName(value: string): string {
  if (/^[a-z][a-z0-9-]*$/.test(value)) return value;
  throw new InvalidArgumentError('Expected the name of a service, such as catalog.');
}
