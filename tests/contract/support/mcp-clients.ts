import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installedOnce } from '@fairlead/client-generator/installed-once';
import { findPython, pythonEnvironment } from '@fairlead/client-generator/python-environment';
import { z } from 'zod';

const run = promisify(execFile);

/** The programs, with the manifest and lock file of their clients. */
const SOURCES = fileURLToPath(new URL('../mcp-clients', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/fairlead-mcp-clients', import.meta.url));

/** A client that on each visit lists the tools of a server and calls one. */
interface McpClient {
  readonly name: string;
  /** Transports that it supports. */
  readonly wires: readonly McpWire[];
  readonly isPython?: boolean;
  readonly visit: (programs: McpPrograms, visits: readonly McpVisit[]) => Promise<readonly McpFindings[]>;
}

/** HTTP+SSE, Streamable HTTP with a handshake, or protocol version 2026-07-28. */
type McpWire = 'sse' | 'http' | 'stateless';

interface McpVisit {
  readonly url: string;
  readonly wire: McpWire;
  readonly header: readonly [name: string, value: string];
  readonly call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

/** Names of the listed tools, and the call's structured result. */
interface McpFindings {
  readonly names: readonly string[];
  readonly output: unknown;
}

/** A folder for running the clients: programs and packages, without any user's settings. */
export interface McpPrograms {
  readonly folder: string;
  /** Undefined: not installed on this machine. */
  readonly python: string | undefined;
}

/** Path of this machine's Python, if installed. */
export const python = findPython();

/** Installs the clients by their lock file, once, into a cache. */
export async function installMcpClients(): Promise<McpPrograms> {
  const [packages, interpreter] = await Promise.all([nodePackages(), pythonPackages()]);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-mcp-clients-'));
  await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
  for (const name of await readdir(SOURCES))
    if (/\.(?:mjs|py)$/.test(name)) await copyFile(join(SOURCES, name), join(folder, name));
  return { folder, python: interpreter };
}

async function nodePackages(): Promise<string> {
  const names = ['package.json', 'package-lock.json'];
  const texts = await Promise.all(names.map((name) => readFile(join(SOURCES, name), 'utf8')));
  return installedOnce(CACHE, texts.join(), async (folder) => {
    for (const name of names) await copyFile(join(SOURCES, name), join(folder, name));
    // Without install scripts, which the programs do not need.
    const flags = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];
    await run('npm', ['ci', ...flags], { cwd: folder });
  });
}

async function pythonPackages(): Promise<string | undefined> {
  if (python === undefined) return undefined;
  const file = join(SOURCES, 'requirements.txt');
  return pythonEnvironment(python, { key: await readFile(file, 'utf8'), install: ['-r', file] });
}

const result = z.object({ structuredContent: z.unknown() });
const list = z.object({ tools: z.array(z.object({ name: z.string() })) });
const printed = z.array(z.object({ names: z.array(z.string()), result }));

/** Runs one of the folder's programs, which prints its results. */
export async function runMcpProgram(
  { folder, python: interpreter }: McpPrograms,
  program: string,
  visits: readonly object[],
): Promise<readonly McpFindings[]> {
  const command = program.endsWith('.py') ? (interpreter ?? '') : process.execPath;
  const text = await execute(folder, command, [program, JSON.stringify(visits)]);
  return printed
    .parse(JSON.parse(text))
    .map(({ names, result: { structuredContent } }) => ({ names, output: structuredContent }));
}

/** Runs a command of one of the packages, which prints JSON, with these environment variables. */
export async function runMcpCommand(
  { folder }: McpPrograms,
  name: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  return JSON.parse(
    await execute(folder, process.execPath, [`node_modules/.bin/${name}`, ...args], variables),
  );
}

async function execute(
  folder: string,
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, ...variables };
  const { stdout } = await run(command, args, { cwd: folder, env });
  return stdout;
}

/** A program that uses the client as a library. */
const library =
  (program: string): McpClient['visit'] =>
  (programs, visits) =>
    runMcpProgram(
      programs,
      program,
      visits.map(({ header: [name, value], ...visit }) => ({ ...visit, headers: { [name]: value } })),
    );

/** A command that makes one visit. */
const command =
  (visit: (programs: McpPrograms, visit: McpVisit) => Promise<McpFindings>): McpClient['visit'] =>
  async (programs, visits) => {
    const found: McpFindings[] = [];
    for (const each of visits) found.push(await visit(programs, each));
    return found;
  };

async function visitByInspector(
  programs: McpPrograms,
  { url, wire, header, call }: McpVisit,
): Promise<McpFindings> {
  const transport = ['--transport', wire === 'sse' ? 'sse' : 'http'];
  const era = wire === 'stateless' ? ['--protocol-era', 'modern'] : [];
  const server = ['--cli', '--server-url', url, ...transport, ...era, '--header', header.join(': ')];
  const ask = (...method: readonly string[]) =>
    runMcpCommand(programs, 'mcp-inspector', [
      ...server,
      '--format',
      'json',
      '--quiet',
      '--method',
      ...method,
    ]);
  const listed = z.object({ result: list }).parse(await ask('tools/list'));
  const input = ['--tool-name', call.name, '--tool-args-json', JSON.stringify(call.arguments)];
  const called = z.object({ result }).parse(await ask('tools/call', ...input));
  return {
    names: listed.result.tools.map(({ name }) => name),
    output: called.result.structuredContent,
  };
}

/** A bridge, visited by a client of the first SDK over standard input and output. */
const visitByRemote: McpClient['visit'] = (programs, visits) =>
  runMcpProgram(
    programs,
    'sdk-1.mjs',
    visits.map(({ url, wire, header, call }) => {
      const transport = ['--transport', wire === 'sse' ? 'sse-only' : 'http-only'];
      const era = ['--protocol', wire === 'stateless' ? 'auto' : 'legacy'];
      const args = [url, ...transport, ...era, '--header', header.join(':'), '--silent'];
      return {
        wire: 'stdio',
        command: process.execPath,
        args: ['node_modules/.bin/mcp-remote', ...args],
        call,
      };
    }),
  );

async function visitByPorter(programs: McpPrograms, { url, header, call }: McpVisit): Promise<McpFindings> {
  const server = ['--http-url', url, '--allow-http', '--header', header.join('=')];
  const listed = list.parse(await runMcpCommand(programs, 'mcporter', ['list', ...server, '--json']));
  const input = ['--tool', call.name, '--args', JSON.stringify(call.arguments), '--output', 'json'];
  const output = await runMcpCommand(programs, 'mcporter', ['call', ...server, ...input]);
  return { names: listed.tools.map(({ name }) => name), output };
}

const ALL_WIRES: readonly McpWire[] = ['sse', 'http', 'stateless'];

/** Real clients. */
export const MCP_CLIENTS: readonly McpClient[] = [
  { name: '@modelcontextprotocol/sdk', wires: ['sse', 'http'], visit: library('sdk-1.mjs') },
  { name: '@modelcontextprotocol/client', wires: ALL_WIRES, visit: library('sdk-2.mjs') },
  { name: '@ai-sdk/mcp', wires: ALL_WIRES, visit: library('ai-sdk.mjs') },
  { name: 'mcp of Python', wires: ALL_WIRES, isPython: true, visit: library('python-sdk.py') },
  { name: '@modelcontextprotocol/inspector', wires: ALL_WIRES, visit: command(visitByInspector) },
  { name: 'mcp-remote', wires: ALL_WIRES, visit: visitByRemote },
  { name: 'mcporter', wires: ['http'], visit: command(visitByPorter) },
];
