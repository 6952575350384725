import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Json } from '@fairlead/connector-model/model';
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

/** The agent's configuration, which nobody but its machine's administrator changes. */
export interface AgentConfig {
  /** Base address of the platform, without a trailing slash. */
  readonly url: string;
  readonly token: Secret;
  /** By name. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Where calls may go. */
  readonly network: NetworkRules;
  /** Undefined: requests to the platform are sent directly. */
  readonly proxy: Proxy | undefined;
  /** Certificates (PEM) of authorities that are trusted beside those of the program. */
  readonly extraCertificates: string | undefined;
  readonly logs: LogFiles;
  /** How long running calls may go on after SIGTERM. */
  readonly shutdownGraceMs: number;
  /** Every value that may appear in no log. */
  readonly secrets: readonly string[];
  /** Sentences for the log: what works, but should not be done. */
  readonly warnings: readonly string[];
}

/** Where logs are, and how much of them is kept. */
export interface LogFiles {
  readonly directory: string;
  readonly maxFileBytes: number;
  /** The current one and the rotated ones. */
  readonly maxFiles: number;
}

const texts = z.array(z.string().min(1));

const fileForm = z.strictObject({
  /** Address of the platform. */
  url: z.string().exactOptional(),
  /** File with the token. */
  tokenFile: z.string().exactOptional(),
  /** Credentials that calls name: see profiles.ts. */
  profiles: z.record(z.string(), z.json()).default({}),
  /** Hosts (with or without a port), networks and directories that calls may reach, and nothing else. Absent: all but metadata addresses. */
  allow: z
    .strictObject({ hosts: texts.default([]), cidrs: texts.default([]), paths: texts.default([]) })
    .exactOptional(),
  /** Address of the proxy to the platform, with user and password. Default: HTTPS_PROXY. */
  proxy: z.string().exactOptional(),
  /** Hosts that are reached without the proxy. Default: NO_PROXY. */
  noProxy: texts.exactOptional(),
  /** File with certificates (PEM) of further authorities. */
  caFile: z.string().exactOptional(),
  logs: z
    .strictObject({
      /** Default: LOGS_DIRECTORY (systemd), else fairlead-agent/logs below the user's state directory. */
      directory: z.string().exactOptional(),
      /** Size at which a file is rotated, in MiB. */
      maxFileMiB: z.number().min(0.01).max(1_024).default(10),
      /** Files that are kept. */
      files: z.int().min(1).max(100).default(5),
    })
    .prefault({}),
  /** Seconds that running calls have to end after SIGTERM. */
  shutdownGraceSeconds: z.number().min(0).max(600).default(20),
});

/** As many as the platform takes of one agent. */
const MAX_PROFILES = 200;
const TOKEN_FORM = /^opa_\w{22,}$/;
const MIB = 1024 * 1024;

/** Reads configuration, options and environment. Throws a ConfigError that lists every problem. */
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
  const given = z.record(z.string(), z.json()).safeParse(givenProfiles ?? {});
  if (!given.success) report('profiles')('', 'must be an object of profiles by name');
  const referenced: string[] = [];
  for (const [name, value] of Object.entries(given.data ?? {})) {
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
    // The parser quotes the lines, which may hold a secret.
    onProblem('', 'is not valid YAML');
  }
  return {};
}

/** The members without a problem, so that others are reported beside the ones with one. */
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
  if (!TOKEN_FORM.test(token)) throw new Error('is no token of an agent: it begins with opa_');
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
    throw new Error(`${path} holds no certificate in PEM form`);
  return text;
}

function defaultLogDirectory(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return env['LOGS_DIRECTORY'] || join(state, 'fairlead-agent', 'logs');
}
