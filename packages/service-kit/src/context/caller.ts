import { z } from 'zod';

const id = z.string().min(1);
const names = z.array(z.string()).readonly();

const user = z.object({
  kind: z.literal('user'),
  accountId: id,
  userId: id,
  roles: names,
  permissions: names,
  /** The toolset to which the user's API key confines the caller, together with the key's own objects. */
  confinement: z.object({ toolsetId: id, keyId: id }).readonly().optional(),
  /** The API key or bearer token with which the caller was authenticated. Absent: no credential of the user. */
  credential: z
    .union([z.object({ keyId: id }), z.object({ tokenId: id, clientId: id, grantId: id.optional() })])
    .readonly()
    .optional(),
});

const service = z.object({
  kind: z.literal('service'),
  service: id,
  /** Network address of the client whose request the service passes on. Not signed as critical, because it restricts nothing. */
  clientAddress: id.optional(),
});

const serviceForAccount = z.object({ kind: z.literal('serviceForAccount'), service: id, accountId: id });

const endUserSession = z.object({
  kind: z.literal('endUserSession'),
  accountId: id,
  endUserId: id,
  sessionId: id,
});

const anonymousClient = z.object({ kind: z.literal('anonymousClient'), accountId: id, serverId: id });

/**
 * The members of a signed caller, one shape per kind; other kinds are refused. Members outside of a shape are
 * dropped, because a newer release may have added them; a member that restricts the caller is signed as critical.
 */
export const callerSchema = z.discriminatedUnion('kind', [
  user,
  service,
  serviceForAccount,
  endUserSession,
  anonymousClient,
]);

/** Members that restrict the caller: a release that does not know one of them refuses the caller. */
export const RESTRICTING_MEMBERS = ['confinement'] as const;

/** The known members, by kind of caller. */
export const callerMembers: Readonly<Record<Caller['kind'], readonly string[]>> = {
  user: Object.keys(user.shape),
  service: Object.keys(service.shape),
  serviceForAccount: Object.keys(serviceForAccount.shape),
  endUserSession: Object.keys(endUserSession.shape),
  anonymousClient: Object.keys(anonymousClient.shape),
};

/** A user of an account, or a program with that user's API key. */
export type UserCaller = Readonly<z.infer<typeof user>>;

/** A service that acts for no account, such as the gateway when a browser returns from a sign-in. */
type ServiceCaller = Readonly<z.infer<typeof service>>;

/** A service that acts for an account while no user waits, such as a schedule that executes a tool. */
type ServiceForAccountCaller = Readonly<z.infer<typeof serviceForAccount>>;

/** A customer of the account's product, in a session that the account opened for them. */
type EndUserSessionCaller = Readonly<z.infer<typeof endUserSession>>;

/** A client without a credential, at an MCP server whose account admits such clients. */
export type AnonymousClientCaller = Readonly<z.infer<typeof anonymousClient>>;

/** A caller that may call tools: a user, or a client without a credential. */
export type ClientCaller = UserCaller | AnonymousClientCaller;

/** The party on whose behalf an RPC runs. */
export type Caller = ClientCaller | ServiceCaller | ServiceForAccountCaller | EndUserSessionCaller;
