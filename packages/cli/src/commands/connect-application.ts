import type {
  AuthenticationMethod,
  CompletedSignIn,
  Connection,
  Fairlead,
  FieldDescriptor,
  GetSignInUrlRequest,
} from '@fairlead/sdk';
import { CliError, EXIT_CODES } from '../failure.ts';
import { remark } from '../output.ts';
import { printable } from '../table.ts';
import type { World } from '../world.ts';
import { gatherValues } from './values.ts';
import type { Assignments, ValueSlot, ValuesOptions } from './values.ts';

/** The options of `fairlead connections create`. */
export interface ConnectOptions extends ValuesOptions {
  readonly name?: string;
  readonly description?: string;
  /** An authenticationId. */
  readonly method?: string;
  readonly authProvider?: string;
  readonly field?: Assignments;
  readonly browser: boolean;
}

/** How long to wait before the status of a sign-in is polled again. */
const POLL_MS = 1000;

/** Connects an application: with the values of its fields, or by an OAuth sign-in that a person completes in a browser. */
export async function connectApplication(
  client: Fairlead,
  applicationSlug: string,
  options: ConnectOptions,
  world: World,
): Promise<Connection> {
  const signal = { signal: world.signal };
  const application = await client.applications.get(applicationSlug, signal);
  const method = chooseMethod(application.authenticationMethods, options.method);
  const values = await gatherValues(world, slotsOf(method, options), {
    given: options.field,
    fromInput: options.valuesStdin === true,
  });
  const { authenticationId } = method;
  const provider = options.authProvider === undefined ? {} : { authProvider: options.authProvider };
  const common = {
    applicationSlug: application.slug,
    authenticationId,
    ...(options.description !== undefined && { description: options.description }),
  };
  if (!method.requiresOAuthSignIn) {
    const connectionName = options.name ?? application.name;
    return client.connections.create({ ...common, ...provider, connectionName, fields: values }, signal);
  }
  const { atSignIn, after } = splitValues(method, values);
  const { state, suggestedName } = await signIn(
    client,
    { applicationSlug: application.slug, authenticationId, fields: atSignIn, ...provider },
    options,
    world,
  );
  const connectionName = options.name ?? suggestedName;
  return client.connections.create({ ...common, connectionName, fields: after, oauthState: state }, signal);
}

/** The options of `fairlead connections replace`. */
export interface ReplaceOptions extends Omit<ConnectOptions, 'method' | 'authProvider'> {
  /** Whether a person signs in again. */
  readonly signIn?: boolean;
}

/**
 * Replaces the parts that the options name; everything else is unchanged. With `signIn` a person signs in again in a browser, through the
 * same OAuth client.
 */
export async function replaceConnection(
  client: Fairlead,
  connectionId: number,
  options: ReplaceOptions,
  world: World,
): Promise<Connection> {
  const signal = { signal: world.signal };
  const former = await client.connections.get(connectionId, signal);
  const { applicationSlug, authenticationId, authProviderId, metadata } = former;
  const { authenticationMethods } = await client.applications.get(applicationSlug, signal);
  const method = chooseMethod(authenticationMethods, String(authenticationId));
  if (options.signIn === true && !method.requiresOAuthSignIn) {
    const text = `Connection ${connectionId} is not signed in: its credentials are replaced with --field.`;
    throw new CliError(EXIT_CODES.usage, text);
  }
  const isFilledIn = options.field !== undefined || options.valuesStdin === true;
  const values =
    isFilledIn || options.signIn === true
      ? await gatherValues(world, slotsOf(method, options), {
          given: options.field,
          fromInput: options.valuesStdin === true,
        })
      : undefined;
  const { atSignIn, after } = splitValues(method, values ?? {});
  const state =
    options.signIn === true
      ? (
          await signIn(
            client,
            {
              applicationSlug,
              authenticationId,
              connectionId,
              fields: atSignIn,
              ...(authProviderId !== null && { authProviderId }),
            },
            options,
            world,
          )
        ).state
      : undefined;
  const fields = state === undefined ? values : after;
  const replacement = {
    connectionName: options.name ?? former.connectionName,
    description: options.description ?? former.description,
    metadata,
    ...(fields !== undefined && { fields }),
    ...(state !== undefined && { oauthState: state }),
  };
  return client.connections.replace(connectionId, replacement, signal);
}

/** Lets a person sign in in a browser; returns the state of the completed sign-in. */
async function signIn(
  client: Fairlead,
  request: GetSignInUrlRequest,
  options: Pick<ConnectOptions, 'browser'>,
  world: World,
): Promise<{ readonly state: string; readonly suggestedName: string }> {
  const { signInUrl, state } = await client.connections.getSignInUrl(request, { signal: world.signal });
  remark(world, printable(`Open ${signInUrl} to sign in`));
  if (options.browser && world.isTerminal && /^https?:\/\//.test(signInUrl)) world.openBrowser(signInUrl);
  const { connectionData } = await awaitCompletion(client, state, world);
  return { state, suggestedName: connectionData.suggestedName };
}

/** The completed sign-in. The API ends the wait: it refuses the state once the sign-in has expired. */
async function awaitCompletion(client: Fairlead, state: string, world: World): Promise<CompletedSignIn> {
  for (;;) {
    const signIn = await client.connections.pollSignIn(state, { signal: world.signal });
    if (signIn !== null) return signIn;
    await world.wait(POLL_MS);
  }
}

function chooseMethod(
  methods: readonly AuthenticationMethod[],
  methodId: string | undefined,
): AuthenticationMethod {
  const method = methods.find(({ authenticationId, isDefault }) =>
    methodId === undefined ? isDefault : String(authenticationId) === methodId,
  );
  if (method !== undefined) return method;
  const known = methods.map((one) => `${one.authenticationId} (${one.authenticationName})`).join(', ');
  throw new CliError(EXIT_CODES.usage, printable(`Choose one of these with --method: ${known}.`));
}

/** The fields of the method. A required secret that an auth provider can supply is prompted for only if another such field is given. */
function slotsOf(
  method: AuthenticationMethod,
  { field: assignments }: Pick<ConnectOptions, 'field'>,
): ValueSlot[] {
  const isOwnClient = method.fields.some(
    ({ name, providerSlot }) => providerSlot !== null && assignments?.has(name) === true,
  );
  return method.fields.map((field) => ({
    name: field.name,
    label: field.label,
    isSecret: field.isPassword || field.maskInLogs,
    isRequired:
      field.isRequired &&
      (field.providerSlot === null || isOwnClient) &&
      (field.atSignIn || !method.requiresOAuthSignIn),
    read: (typed) => valueOf(field, typed),
  }));
}

function valueOf({ name, type }: FieldDescriptor, typed: string): unknown {
  switch (type) {
    case 'number': {
      const number = Number(typed);
      if (typed.trim() === '' || !Number.isFinite(number)) throw wrongType(name, 'a number');
      return number;
    }
    case 'boolean':
      if (typed !== 'true' && typed !== 'false') throw wrongType(name, 'true or false');
      return typed === 'true';
    case 'json':
      try {
        return JSON.parse(typed);
      } catch {
        throw wrongType(name, 'JSON');
      }
    case 'string':
    case 'select':
      return typed;
  }
}

function wrongType(name: string, expected: string): CliError {
  return new CliError(EXIT_CODES.usage, printable(`${name} must be ${expected}.`));
}

function splitValues(
  { fields }: AuthenticationMethod,
  values: Readonly<Record<string, unknown>>,
): { atSignIn: Record<string, unknown>; after: Record<string, unknown> } {
  const names = new Set(fields.filter(({ atSignIn }) => atSignIn).map(({ name }) => name));
  const entries = Object.entries(values);
  return {
    atSignIn: Object.fromEntries(entries.filter(([name]) => names.has(name))),
    after: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  };
}
