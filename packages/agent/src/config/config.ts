import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Json } from '@fairlead/connector-model/json';
import { areTooLarge } from '@fairlead/connector-runtime/secret-masking';
import { isObject } from '@fairlead/connector-runtime/templates';
import { ConfigError } from '@fairlead/service-kit/config';
import { createNetworkPolicy, normalizeHost } from '@fairlead/egress/address';
import type { NetworkRules } from '@fairlead/egress/address';
import { Secret } from '@fairlead/service-kit/secret';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Arguments } from './arguments.ts';
import { readPrivateFile, readSecretFile, readTextFile } from './private-file.ts';
import { readProfile, realDirectory } from './profiles.ts';
import type { Profile } from './profiles.ts';
import { isExcepted, parseProxy, proxyOfEnvironment } from './proxy.ts';
import type { Proxy } from './proxy.ts';
import { resolveReferences } from './referenced-values.ts';

/** The agent's configuration. Only its machine's administrator can change it. */
export interface AgentConfig {
  /** Base address of the platform, without a trailing slash. */
  readonly url: string;
  readonly token: Secret;
  /** By name. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** The addresses and directories that calls may reach. */
  readonly network: NetworkRules;
  /** The proxy to the platform; undefined: direct connections. */
  readonly proxy: Proxy | undefined;
  /** Additional trusted certificate authorities, as PEM. */
  readonly extraCertificates: string | undefined;
  readonly logs: LogFiles;
  /** Time for which running calls may continue after SIGTERM. */
  readonly shutdownGraceMs: number;
  /** All values that must not appear in a log. */
  readonly secrets: readonly string[];
  /** Warnings for the log about settings that work but are discouraged. */
  readonly warnings: readonly string[];
}

/** The log directory, and the limits of its files. */
export interface LogFiles {
  readonly directory: string;
  readonly maxFileBytes: number;
  /** Number of log files, including the current one. */
  readonly maxFiles: number;
}

const texts = z.array(z.string().min(1));

const fileForm = z.strictObject({
  /** Address of the platform. */
  url: z.string().exactOptional(),
  /** File with the token. */
  tokenFile: z.string().exactOptional(),
  /** Credentials that calls refer to by name (profiles.ts). */
  profiles: z.record(z.string(), z.json()).default({}),
  /**
   * The only hosts (with or without a port), networks and directories that calls may reach. Absent: all except
   * metadata addresses.
   */
  allow: z
    .strictObject({ hosts: texts.default([]), cidrs: texts.default([]), paths: texts.default([]) })
    .exactOptional(),
  /** Address of the proxy to the platform, with user and password. Default: HTTPS_PROXY. */
  proxy: z.string().exactOptional(),
  /** Hosts that are reached without the proxy. Default: NO_PROXY. */
  noProxy: texts.exactOptional(),
  /** File with additional certificate authorities (PEM). */
  caFile: z.string().exactOptional(),
  logs: z
    .strictObject({
      /** Log directory. Default: LOGS_DIRECTORY (systemd), else fairlead-agent/logs below the user's state directory. */
      directory: z.string().exactOptional(),
      /** Size at which a file is rotated, in MiB. */
      maxFileMiB: z.number().min(0.01).max(1_024).default(10),
      /** Number of log files. */
      files: z.int().min(1).max(100).default(5),
    })
    .prefault({}),
  /** Seconds for which running calls may continue after SIGTERM. */
  shutdownGraceSeconds: z.number().min(0).max(600).default(20),
});

/** The maximum that the platform accepts of one agent. */
const MAX_PROFILES = 200;
const TOKEN_FORM = /^opa_\w{22,}$/;
const MIB = 1024 * 1024;

/** Loads configuration file, options and environment. Throws a ConfigError with all problems. */
export function loadAgentConfig(args: Arguments, env: NodeJS.ProcessEnv): AgentConfig {
  const problems: string[] = [];
  const warnings: string[] = [];
  const report = (place: string) => (path: string, problem: string) =>
    void problems.push(`${[place, path].filter((part) => part !== '').join('.')}: ${problem}`);
  const guarded = <T>(place: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      report(place)('', error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };

  const { path = '', text = '' } =
    args.config === undefined
      ? {}
      : { path: args.config, text: guarded('--config', () => readPrivateFile(args.config ?? '')) };
  const { profiles: givenProfiles, ...members } = parsedYaml(text, report(path || 'configuration'));
  const resolved = resolveReferences(members, env, report(path));
  const parsed = fileForm.safeParse(resolved.value);
  for (const { path: at, message } of parsed.error?.issues ?? []) report(path)(at.join('.'), message);
  const file = parsed.data ?? fileForm.parse(validMembers(resolved.value));

  const url = urlOf(
    args.url ?? file.url,
    args.isHttpAllowed,
    report(args.url === undefined ? 'url' : '--url'),
  );
  const token = guarded('token', () => tokenOf(args, file.tokenFile));
  if (args.token !== undefined)
    warnings.push('The token is an argument, which other users of this machine can see. Use --token-file.');

  const network: NetworkRules = {
    onlyTo: file.allow === undefined ? null : [...file.allow.hosts, ...file.allow.cidrs],
  };
  guarded('allow', () => createNetworkPolicy(network));
  const allowedPaths = file.allow?.paths.flatMap((allowed) => {
    const real = isAbsolute(allowed) ? realDirectory(allowed) : undefined;
    if (real === undefined) report('allow.paths')('', `${allowed} is no absolute path of a directory`);
    return real ?? [];
  });
  const profiles = new Map<string, Profile>();
  const parsedProfiles = z.record(z.string(), z.json()).safeParse(givenProfiles ?? {});
  if (!parsedProfiles.success) report('profiles')('', 'must be an object of profiles by name');
  const referenced: string[] = [];
  for (const [name, value] of Object.entries(parsedProfiles.data ?? {})) {
    const onProblem = report(`profiles.${name}`);
    const resolvedProfile = resolveReferences(value, env, onProblem);
    referenced.push(...resolvedProfile.secrets);
    const profile = readProfile(name, resolvedProfile.value, allowedPaths ?? null, onProblem);
    if (profile !== undefined) profiles.set(name, profile);
  }
  if (profiles.size > MAX_PROFILES) report('profiles')('', `at most ${MAX_PROFILES} are possible`);

  const proxy = url === undefined ? undefined : proxyOf(new URL(url), file, env, report('proxy'));
  const extraCertificates = guarded('caFile', () =>
    file.caFile === undefined ? undefined : certificatesOf(file.caFile),
  );
  const secrets = [
    ...(token === undefined ? [] : [token]),
    ...(proxy?.secrets ?? []),
    ...referenced,
    ...[...profiles.values()].flatMap((profile) => profile.secrets),
  ];
  if (areTooLarge(secrets)) report('profiles')('', 'their values may have at most 64 KiB together');
  if (problems.length > 0 || url === undefined || token === undefined)
    throw new ConfigError(problems.join('\n'));
  return {
    url,
    token: new Secret(token),
    profiles,
    network,
    proxy,
    extraCertificates,
    logs: {
      directory: args.logDirectory ?? file.logs.directory ?? defaultLogDirectory(env),
      maxFileBytes: Math.round(file.logs.maxFileMiB * MIB),
      maxFiles: file.logs.files,
    },
    shutdownGraceMs: file.shutdownGraceSeconds * 1_000,
    secrets,
    warnings,
  };
}

function parsedYaml(
  text: string,
  onProblem: (path: string, problem: string) => void,
): { readonly [name: string]: Json } {
  try {
    const document = z.record(z.string(), z.json()).safeParse(parse(text) ?? {});
    if (document.success) return document.data;
    onProblem('', 'must be an object');
  } catch {
    // The parser's message would quote lines, which may contain a secret.
    onProblem('', 'is not valid YAML');
  }
  return {};
}

/** The valid members, so that their further problems are reported together with the invalid members. */
function validMembers(value: Json): { readonly [name: string]: Json } {
  const shape: Readonly<Record<string, z.ZodType>> = fileForm.shape;
  const members = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    members.filter(([name, member]) => shape[name]?.safeParse(member).success === true),
  );
}

function urlOf(
  text: string | undefined,
  isHttpAllowed: boolean,
  onProblem: (path: string, problem: string) => void,
): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    onProblem('', text === undefined ? 'required, but not set' : 'must be an https URL');
    return undefined;
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    onProblem('', 'must have no user, password, query or fragment');
    return undefined;
  }
  if (url.protocol === 'http:' && !isHttpAllowed && !isLoopback(url)) {
    onProblem(
      '',
      'must be an https URL: over http everybody on the way can read the token (--allow-http accepts that)',
    );
    return undefined;
  }
  return url.href.replace(/\/+$/, '');
}

function isLoopback(url: URL): boolean {
  const host = normalizeHost(url.hostname);
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d+){3}$/.test(host)
  );
}

function tokenOf(args: Arguments, fileOfConfig: string | undefined): string {
  const path = args.tokenFile ?? fileOfConfig;
  if (args.token === undefined && path === undefined) throw new Error('required: give --token-file');
  const token = args.token ?? readSecretFile(path ?? '').trim();
  if (!TOKEN_FORM.test(token)) throw new Error('is not the token of an agent; such a token begins with opa_');
  return token;
}

function proxyOf(
  target: URL,
  { proxy, noProxy }: { readonly proxy?: string; readonly noProxy?: readonly string[] },
  env: NodeJS.ProcessEnv,
  onProblem: (path: string, problem: string) => void,
): Proxy | undefined {
  if (noProxy !== undefined && isExcepted(target, noProxy)) return undefined;
  const text = proxy ?? proxyOfEnvironment(target, env);
  if (text === undefined) return undefined;
  const parsed = parseProxy(text);
  if (parsed === undefined) onProblem('', 'must be an http or https URL');
  return parsed;
}

function certificatesOf(path: string): string {
  const text = readTextFile(path);
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error(`${path} contains no certificate in PEM form`);
  return text;
}

function defaultLogDirectory(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return env['LOGS_DIRECTORY'] || join(state, 'fairlead-agent', 'logs');
}
