import type { TestResponse } from '@fairlead/connector-runtime/testing/http-server';
import { expect, inject, vi } from 'vitest';
import { z } from 'zod';
import { expectStatus } from '../../../contract/support/accounts.ts';
import { del, expectList, get, post, stack } from '../../../contract/support/api.ts';
import { continueToVendor, startCrmSignIn, Visitor } from '../../../contract/support/sign-in.ts';
import { CLIENT, CONTROL_PATH } from '../doubles/double.ts';
import type { Control } from '../doubles/double.ts';
import type { VendorSlug } from './vendors.ts';

const texts = z.record(z.string(), z.string());
const requests = z.array(
  z.object({
    method: z.string(),
    path: z.string(),
    query: texts,
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    body: z.string(),
  }),
);
const connectionRecord = z.object({
  id: z.number(),
  status: z.string(),
  statusReason: z.string().nullable(),
  fields: z.record(z.string(), z.unknown()),
  grantedScopes: z.array(z.string()).nullish(),
});
const poll = z.object({ status: z.string(), fieldOptions: z.record(z.string(), texts).nullish() });
const providerRecord = z.object({ id: z.number() });
const triggerRecord = z.object({ id: z.string() });
const eventRecords = z.array(z.object({ payload: z.unknown() }));
/** A period of polls, and time for the delivery. */
const ONE_POLL = { timeout: 150_000, interval: 500 };
const toolResult = z.object({
  isSuccess: z.boolean(),
  output: z.unknown(),
  errorMessage: z.string().nullish(),
  executionInfo: z.object({ attempts: z.number() }),
});

/** A request received by a double. */
export type SeenRequest = z.output<typeof requests>[number];

/** A connection as the API returns it. */
type ConnectionRecord = z.output<typeof connectionRecord>;

/** The outcome of a tool. */
type ToolResult = z.output<typeof toolResult>;

/** How a person connects an application. */
interface SignIn {
  readonly authenticationId?: number;
  /** Further values of the auth provider, besides the client's. */
  readonly values?: Readonly<Record<string, string>>;
  /** Fields of the sign-in. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Choices among the vendor's offered values. */
  readonly choose?: (options: Readonly<Record<string, Record<string, string>>>) => Record<string, string>;
}

/** A connection created by signing in at a double, with operations on both. */
export interface Walk {
  readonly connection: ConnectionRecord;
  /** Requests of the sign-in. */
  readonly signIn: readonly SeenRequest[];
  /** Executes a tool with inputs and further members of the body, such as `top`. */
  readonly execute: (
    toolSlug: string,
    fields?: Readonly<Record<string, unknown>>,
    more?: Readonly<Record<string, unknown>>,
  ) => Promise<ToolResult>;
  readonly double: VendorControl;
  /** The current connection. */
  readonly read: () => Promise<ConnectionRecord>;
}

/** A vendor's double in another process. */
interface VendorControl {
  readonly order: (control: Control) => Promise<void>;
  /** Sets the responses to the next calls. */
  readonly answer: (...answers: readonly TestResponse[]) => Promise<void>;
  /** Requests since the last call of this. */
  readonly received: () => Promise<readonly SeenRequest[]>;
}

/** The double of an application's vendor. */
function doubleOf(slug: VendorSlug): VendorControl {
  const address = new URL(CONTROL_PATH, inject('vendors')[slug]);
  const order = async (control: Control): Promise<void> => {
    const { status } = await fetch(address, { method: 'POST', body: JSON.stringify(control) });
    expect(status).toBe(204);
  };
  return {
    order,
    answer: (...answers) => order({ answers }),
    received: async () => requests.parse(await (await fetch(address)).json()),
  };
}

/** Registers the client as an auth provider, signs in with it like a person with a browser, and saves the connection. */
export async function signInTo(applicationSlug: VendorSlug, o: SignIn = {}): Promise<Walk> {
  const { authenticationId = 0, values, fields, choose } = o;
  const double = doubleOf(applicationSlug);
  const method = { applicationSlug, authenticationId };
  const client = { Key1: CLIENT.id, Key2: CLIENT.secret, ...values };
  const created = await post('/v1/auth-providers', { name: 'Ours', ...method, values: client });
  const { id: authProviderId } = providerRecord.parse(expectStatus(created, 201).body);
  await double.received();
  const { signInUrl, state } = await startCrmSignIn(stack.account.apiKey, {
    ...method,
    authProviderId,
    ...(fields !== undefined && { fields }),
  });
  const visitor = new Visitor();
  const consent = await continueToVendor(visitor, signInUrl);
  const last = await visitor.submit(consent, {}, /Allow/);
  expect(last.status, last.html).toBe(200);
  const signIn = await double.received();
  const done = await get(`/v1/connections/access-token/${state}`);
  const { status, fieldOptions } = poll.parse(expectStatus(done, 200).body);
  expect(status, done.text).toBe('completed');
  const connection = await connect({
    ...method,
    oauthState: state,
    fields: choose?.(fieldOptions ?? {}) ?? {},
  });
  return { ...walkOf(applicationSlug, connection), signIn };
}

/** Creates a connection, and tests it. */
export async function connect(
  body: { readonly applicationSlug: VendorSlug } & Readonly<Record<string, unknown>>,
): Promise<ConnectionRecord> {
  const made = await post('/v1/connections', { connectionName: 'Walk', ...body });
  const connection = connectionRecord.parse(expectStatus(made, 201).body);
  const tested = await post(`/v1/connections/${connection.id}/test`);
  expect(tested.body, tested.text).toMatchObject({ isSuccess: true });
  return connection;
}

/** The calls of a connection. */
export function walkOf(slug: VendorSlug, connection: ConnectionRecord): Omit<Walk, 'signIn'> {
  return {
    connection,
    double: doubleOf(slug),
    execute: async (toolSlug, fields = {}, more = {}) => {
      const path = `/v1/tools/${toolSlug}/execute?connectionId=${connection.id}`;
      return toolResult.parse(expectStatus(await post(path, { fields, ...more }), 200).body);
    },
    read: async () =>
      connectionRecord.parse(expectStatus(await get(`/v1/connections/${connection.id}`), 200).body),
  };
}

/** Checks that a call succeeded; returns its output. */
export function expectSuccess(result: ToolResult): Readonly<Record<string, unknown>> {
  expect(result).toMatchObject({ isSuccess: true });
  return z.record(z.string(), z.unknown()).parse(result.output);
}

/** Checks that a call succeeded, but not at its first attempt. */
export function expectRetry(result: ToolResult): void {
  expectSuccess(result);
  expect(result.executionInfo.attempts).toBeGreaterThan(1);
}

/** Checks that a call failed after one attempt, with the vendor's text. */
export function expectRefusal(result: ToolResult, errorMessage: string): void {
  expect(result).toMatchObject({ isSuccess: false, errorMessage, executionInfo: { attempts: 1 } });
}

/** Checks that calls succeed after the token has expired, twice. */
export async function expectRenewals(
  { double, read }: Pick<Walk, 'double' | 'read'>,
  call: () => Promise<ToolResult>,
): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    await double.order({ expire: true });
    expectSuccess(await call());
  }
  expect((await read()).status).toBe('Active');
}

/**
 * Adds a record at the vendor while a trigger polls for them, and checks that it alone fires. Returns what the double
 * received in the meantime.
 */
export async function expectFiring(
  { connection, double }: Pick<Walk, 'connection' | 'double'>,
  o: {
    readonly triggerTypeSlug: string;
    readonly configuration: Readonly<Record<string, unknown>>;
    readonly record: Readonly<Record<string, unknown>>;
    readonly payload: Readonly<Record<string, unknown>>;
  },
): Promise<readonly SeenRequest[]> {
  const { triggerTypeSlug, configuration, record, payload } = o;
  await double.received();
  const made = await post('/v1/triggers', {
    name: 'Walk',
    triggerTypeSlug,
    connectionId: connection.id,
    configuration: { ...configuration, everySeconds: 30 },
  });
  const { id } = triggerRecord.parse(expectStatus(made, 201).body);
  await double.order({ add: record });
  const events = await vi.waitFor(async () => {
    const { items } = expectList(await get(`/v1/triggers/events?triggerId=${id}`));
    expect(items).not.toEqual([]);
    return eventRecords.parse(items);
  }, ONE_POLL);
  expect(events).toEqual([{ payload: expect.objectContaining(payload) as unknown }]);
  expectStatus(await del(`/v1/triggers/${id}`), 204);
  return double.received();
}

/** Checks that the connection needs another sign-in, for the vendor's reason. */
export async function expectSignInNeeded({ read }: Pick<Walk, 'read'>, reason: string): Promise<void> {
  const { status, statusReason } = await read();
  expect(status).toBe('NeedsReauthentication');
  expect(statusReason).toContain(reason);
}
