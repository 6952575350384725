import { z } from 'zod';

const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http(s) URL' });

const oauthClientSchema = z.strictObject({
  /** Identifier the client sends. */
  clientId: z.string().min(1),
  /** Secret the client authenticates with, by HTTP Basic or in the form body. */
  clientSecret: z.string().min(8),
  /** Exact addresses a sign-in may return to. */
  redirectUris: z.array(httpUrl).min(1),
  /** Name shown on the consent page; default: the client id. */
  name: z.string().min(1).optional(),
});

/** The settings of one sandbox CRM; `startSandboxCrm` fills the defaults in. */
export const configSchema = z.object({
  /** Address to listen on. */
  host: z.string().min(1).default('127.0.0.1'),
  /** TCP port; 0: any free one. */
  port: z.coerce.number().int().min(0).max(65535).default(4010),
  /** Folder of the database file; without it, all data is in memory and lost when the process ends. */
  dataDirectory: z.string().min(1).optional(),
  /** Origin under which browsers and clients reach this server; default: the address it listens on. */
  publicUrl: httpUrl
    .refine((value) => URL.canParse(value) && new URL(value).href === `${new URL(value).origin}/`, {
      error: 'expected an origin without path, query or fragment',
    })
    .optional(),
  /** The API token that `x-api-token` must carry. */
  apiToken: z.string().min(8),
  /** The key of the admin API (`x-admin-key`) and of the admin page. */
  adminKey: z.string().min(8),
  /** The one person who can sign in. */
  user: z.strictObject({ email: z.email(), password: z.string().min(8) }),
  /** OAuth clients. */
  oauthClients: z
    .array(oauthClientSchema)
    .min(1)
    .refine((clients) => new Set(clients.map((client) => client.clientId)).size === clients.length, {
      error: 'client ids must be unique',
    }),
  /** Life of an access token, in seconds. */
  accessTokenTtlSeconds: z.coerce.number().int().min(1).default(3600),
  /**
   * Time in seconds in which a rotated refresh token still works, for a client that refreshed twice at once. Later reuse revokes the grant.
   */
  refreshReuseGraceSeconds: z.coerce.number().int().min(0).default(30),
  /** Delays, in milliseconds, before each further attempt of a webhook delivery. */
  webhookRetryDelaysMs: z
    .array(z.number().int().min(1).max(3_600_000))
    .max(20)
    .default([1000, 5000, 30_000, 120_000, 600_000]),
  /** Least severe level that is logged, or `silent`. */
  logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

/** The options of `startSandboxCrm`: members with a default may be left out. */
export type SandboxCrmConfig = z.input<typeof configSchema>;

/** The settings with every default filled in. */
export type ResolvedConfig = z.output<typeof configSchema>;

/** Thrown for invalid settings; the message has one line per problem, which begins with the setting's name. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Fills in the defaults and checks every setting, or throws a {@link ConfigError} that lists all problems. */
export function resolveConfig(config: SandboxCrmConfig): ResolvedConfig {
  const result = configSchema.safeParse(config);
  if (!result.success) {
    throw new ConfigError(problems(result.error, (path) => path.join('.')));
  }
  return result.data;
}

const jsonVariable = z.string().transform((text, ctx): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    ctx.addIssue({ code: 'custom', message: 'expected JSON' });
    return z.NEVER;
  }
});

const shape = configSchema.shape;

const environmentSchema = z
  .object({
    HOST: shape.host,
    PORT: shape.port,
    DATA_DIRECTORY: shape.dataDirectory,
    PUBLIC_URL: shape.publicUrl,
    API_TOKEN: shape.apiToken,
    ADMIN_KEY: shape.adminKey,
    USER_EMAIL: shape.user.shape.email,
    USER_PASSWORD: shape.user.shape.password,
    OAUTH_CLIENTS: jsonVariable.pipe(shape.oauthClients),
    ACCESS_TOKEN_TTL_SECONDS: shape.accessTokenTtlSeconds,
    REFRESH_REUSE_GRACE_SECONDS: shape.refreshReuseGraceSeconds,
    WEBHOOK_RETRY_DELAYS_MS: jsonVariable
      .pipe(shape.webhookRetryDelaysMs.unwrap())
      .default(shape.webhookRetryDelaysMs.parse(undefined)),
    LOG_LEVEL: shape.logLevel,
  })
  .transform((env): ResolvedConfig => ({
    host: env.HOST,
    port: env.PORT,
    dataDirectory: env.DATA_DIRECTORY,
    publicUrl: env.PUBLIC_URL,
    apiToken: env.API_TOKEN,
    adminKey: env.ADMIN_KEY,
    user: { email: env.USER_EMAIL, password: env.USER_PASSWORD },
    oauthClients: env.OAUTH_CLIENTS,
    accessTokenTtlSeconds: env.ACCESS_TOKEN_TTL_SECONDS,
    refreshReuseGraceSeconds: env.REFRESH_REUSE_GRACE_SECONDS,
    webhookRetryDelaysMs: env.WEBHOOK_RETRY_DELAYS_MS,
    logLevel: env.LOG_LEVEL,
  }));

/** Reads the settings from environment variables (an empty one counts as unset), or throws a {@link ConfigError}. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): ResolvedConfig {
  const values = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = environmentSchema.safeParse(values);
  if (!result.success) {
    throw new ConfigError(problems(result.error, ([name, ...rest]) => [String(name), ...rest].join('.')));
  }
  return result.data;
}

function problems(error: z.ZodError, nameOf: (path: readonly PropertyKey[]) => string): string {
  return error.issues.map((issue) => `${nameOf(issue.path)}: ${issue.message}`).join('\n');
}
