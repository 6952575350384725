import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type {
  AuthProvider,
  AuthProviderMethod,
  AuthProviderSource,
  Fairlead,
  UpdateAuthProviderRequest,
} from '@fairlead/sdk';
import { CliError, EXIT_CODES } from '../failure.ts';
import { collect, print } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { printable, properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions, nonEmpty, recordId } from './options.ts';
import type { AccountOptions } from './options.ts';
import { gatherValues, valuesOptions } from './values.ts';
import type { Assignments, ValueSlot, ValuesOptions } from './values.ts';

interface SettingsOptions extends AccountOptions, ValuesOptions {
  readonly name?: string;
  readonly value?: Assignments;
  readonly default?: boolean;
  readonly enabled?: boolean;
  readonly scopes?: readonly string[];
  readonly methodScopes?: boolean;
}

interface CreateOptions extends SettingsOptions {
  readonly name: string;
  readonly method?: string;
}

interface UpdateOptions extends SettingsOptions {
  readonly clear?: readonly string[];
}

/** `fairlead auth-providers …` */
export function addAuthProviders(program: Command, world: World): void {
  const providers = program
    .command('auth-providers')
    .helpCommand(false)
    .description('manage the account’s own OAuth clients, through which people sign in to applications');
  const signal = { signal: world.signal };

  accountOptions(providers.command('list'))
    .description('list the auth providers, newest first')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const all = await collect(client.auth.iterateProviders({}, signal));
      print(world, options, all, () => providerTable(all));
    });

  accountOptions(providers.command('sources'))
    .description('list the applications that take auth providers, with the slots of their methods')
    .action(async (options: AccountOptions) => {
      const client = await accountClient(options, world);
      const all = await collect(client.auth.iterateProviderSources({}, signal));
      print(world, options, all, () => sourceTable(all));
    });

  accountOptions(providers.command('usable'))
    .description('list the auth providers that you may sign in through')
    .option('--application <slug>', 'only those of this application', nonEmpty)
    .action(async ({ application, ...options }: AccountOptions & { application?: string }) => {
      const client = await accountClient(options, world);
      const query = application === undefined ? {} : { applicationSlug: application };
      const all = await collect(client.auth.iterateUsableAuthProviders(query, signal));
      print(world, options, all, () =>
        table(all, [
          { title: 'ID', value: ({ id }) => id },
          { title: 'NAME', value: ({ name }) => name },
          { title: 'APPLICATION', value: ({ applicationSlug }) => applicationSlug },
          { title: 'METHOD', value: ({ authenticationId }) => authenticationId },
          { title: 'DEFAULT', value: ({ isDefault }) => isDefault },
        ]),
      );
    });

  accountOptions(providers.command('redirect-uri'))
    .description('print the address to register at the vendor of an application')
    .argument('<applicationSlug>', 'the application', nonEmpty)
    .action(async (applicationSlug: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const found = await client.auth.getRedirectUri({ applicationSlug }, signal);
      print(world, options, found, () => `${printable(found.redirectUri)}\n`);
    });

  valuesOptions(accountOptions(providers.command('create')), '--value', 'the value of a slot')
    .description('create an auth provider; required secrets are prompted for')
    .argument('<applicationSlug>', 'the application', nonEmpty)
    .requiredOption('--name <name>', 'the auth provider’s name', nonEmpty)
    .option('--method <authenticationId>', 'the authentication method, if several take auth providers')
    .option('--scopes <scopes>', 'scopes to request, separated by spaces (default: the method’s)', scopeList)
    .option('--default', 'use it where no auth provider is named')
    .option('--no-enabled', 'create it disabled')
    .action(async (applicationSlug: string, options: CreateOptions) => {
      const client = await accountClient(options, world);
      const { authenticationId, slots } = await findMethod(client, applicationSlug, options.method, world);
      const values = await slotValues(
        world,
        options,
        slots.map(({ slot, label, isSecret, isRequired }) => slotOf(slot, label, isSecret, isRequired)),
      );
      const provider = await client.auth.createProvider(
        {
          name: options.name,
          applicationSlug,
          authenticationId,
          values,
          ...(options.default === true && { isDefault: true }),
          ...(options.enabled === false && { isEnabled: false }),
          ...(options.scopes !== undefined && { scopes: [...options.scopes] }),
        },
        signal,
      );
      print(world, options, provider, () => providerProperties(provider));
    });

  valuesOptions(accountOptions(providers.command('update')), '--value', 'the new value of a slot')
    .description('change an auth provider; omitted settings stay as they are')
    .argument('<id>', 'the auth provider', recordId)
    .option('--name <name>', 'the auth provider’s name', nonEmpty)
    .option('--clear <slot...>', 'remove the values of these slots')
    .option('--scopes <scopes>', 'scopes to request, separated by spaces', scopeList)
    .option('--method-scopes', 'request the scopes of the method again')
    .option('--default', 'use it where no auth provider is named')
    .option('--no-default', 'no longer use it where no auth provider is named')
    .option('--enabled', 'allow new connections through it')
    .option('--no-enabled', 'allow no new connections through it; existing ones continue')
    .action(async (id: number, options: UpdateOptions) => {
      const client = await accountClient(options, world);
      const change = await changeOf(client, id, options, world);
      if (Object.keys(change).length === 0) {
        throw new CliError(EXIT_CODES.usage, 'There is nothing to change: pass at least one setting.');
      }
      const provider = await client.auth.updateProvider(id, change, signal);
      print(world, options, provider, () => providerProperties(provider));
    });

  accountOptions(providers.command('delete'))
    .description('delete an auth provider that no connection is signed in through')
    .argument('<id>', 'the auth provider', recordId)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (id: number, options: AccountOptions & { yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `Auth provider ${id} will be deleted with its secrets. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'delete' });
      await client.auth.deleteProvider(id, signal);
      print(world, options, { id, isDeleted: true }, () => `Deleted auth provider ${id}.\n`);
    });
}

async function findMethod(
  client: Fairlead,
  applicationSlug: string,
  slug: string | undefined,
  world: World,
): Promise<AuthProviderMethod> {
  const sources = await collect(client.auth.iterateProviderSources({}, { signal: world.signal }));
  const source = sources.find((one) => one.applicationSlug === applicationSlug);
  if (source === undefined) {
    throw new CliError(
      EXIT_CODES.notFound,
      printable(`${applicationSlug} takes no auth provider: see fairlead auth-providers sources.`),
    );
  }
  const matching = source.methods.filter(
    ({ authenticationId }) => slug === undefined || String(authenticationId) === slug,
  );
  const [method] = matching;
  if (method !== undefined && matching.length === 1) return method;
  const known = source.methods.map((one) => `${one.authenticationId} (${one.authenticationName})`).join(', ');
  throw new CliError(EXIT_CODES.usage, printable(`Choose one of these with --method: ${known}.`));
}

async function changeOf(
  client: Fairlead,
  id: number,
  options: UpdateOptions,
  world: World,
): Promise<UpdateAuthProviderRequest> {
  const { name, scopes, clear = [] } = options;
  if (scopes !== undefined && options.methodScopes === true) {
    throw new CliError(EXIT_CODES.usage, 'Pass either --scopes or --method-scopes.');
  }
  const hasValues = options.value !== undefined || options.valuesStdin === true;
  const values = hasValues ? await changedValues(client, id, options, world) : {};
  for (const slot of clear) values[slot] = '';
  return {
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes: [...scopes] }),
    ...(options.methodScopes === true && { scopes: null }),
    ...(options.default !== undefined && { isDefault: options.default }),
    ...(options.enabled !== undefined && { isEnabled: options.enabled }),
    ...(Object.keys(values).length > 0 && { values }),
  };
}

async function changedValues(
  client: Fairlead,
  id: number,
  options: UpdateOptions,
  world: World,
): Promise<Record<string, string>> {
  const { values } = await client.auth.getProvider(id, { signal: world.signal });
  return await slotValues(
    world,
    options,
    values.map(({ slot, label, isSecret }) => slotOf(slot, label, isSecret, false)),
  );
}

function slotOf(name: string, label: string, isSecret: boolean, isRequired: boolean): ValueSlot {
  return { name, label, isSecret, isRequired, read: (typed) => typed };
}

async function slotValues(
  world: World,
  options: SettingsOptions,
  slots: readonly ValueSlot[],
): Promise<Record<string, string>> {
  const fromInput = options.valuesStdin === true;
  const values = await gatherValues(world, slots, { given: options.value, fromInput });
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      throw new CliError(EXIT_CODES.usage, printable(`${name} must be a string.`));
    }),
  );
}

function scopeList(value: string): readonly string[] {
  const scopes = value.split(/\s+/).filter((scope) => scope !== '');
  if (scopes.length === 0) throw new InvalidArgumentError('Expected scopes, separated by spaces.');
  return scopes;
}

function providerTable(providers: readonly AuthProvider[]): string {
  return table(providers, [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'APPLICATION', value: ({ applicationSlug }) => applicationSlug },
    { title: 'METHOD', value: ({ authenticationId }) => authenticationId },
    { title: 'DEFAULT', value: ({ isDefault }) => isDefault },
    { title: 'ENABLED', value: ({ isEnabled }) => isEnabled },
    { title: 'LAST ERROR', value: ({ lastError }) => lastError },
  ]);
}

function providerProperties(provider: AuthProvider): string {
  return properties([
    ['Id', provider.id],
    ['Name', provider.name],
    ['Application', provider.applicationSlug],
    ['Method', provider.authenticationId],
    ['Default', provider.isDefault],
    ['Enabled', provider.isEnabled],
    ...provider.values.map(
      ({ slot, label, hasValue, value }) =>
        [`${slot} (${label})`, value ?? (hasValue ? 'set' : null)] as const,
    ),
    ['Scopes', provider.scopes?.join(' ') ?? 'those of the method'],
    ['Last error', provider.lastError],
  ]);
}

function sourceTable(sources: readonly AuthProviderSource[]): string {
  const rows = sources.flatMap(({ applicationSlug, methods }) =>
    methods.flatMap(({ authenticationId, authenticationName, slots }) =>
      slots.map((slot) => ({ applicationSlug, authenticationId, authenticationName, ...slot })),
    ),
  );
  return table(rows, [
    { title: 'APPLICATION', value: ({ applicationSlug }) => applicationSlug },
    { title: 'METHOD', value: (row) => `${row.authenticationId} ${row.authenticationName}` },
    { title: 'SLOT', value: ({ slot }) => slot },
    { title: 'LABEL', value: ({ label }) => label },
    { title: 'SECRET', value: ({ isSecret }) => isSecret },
    { title: 'REQUIRED', value: ({ isRequired }) => isRequired },
  ]);
}
