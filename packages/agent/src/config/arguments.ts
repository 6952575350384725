import { parseArgs } from 'node:util';

/** The command line arguments. */
export interface Arguments {
  readonly command: 'run' | 'check' | 'version' | 'help';
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly config: string | undefined;
  readonly logDirectory: string | undefined;
  readonly isHttpAllowed: boolean;
}

/** The text of `--help`. */
export const USAGE = `Usage: fairlead-agent [check] [options]

Runs tools of Fairlead in this network. check examines the way to the platform, hop by hop, and runs nothing.

  --url <url>            address of the platform, such as https://fairlead.example.com
  --token-file <path>    file with the agent's token, which only its owner may access
  --token <token>        the token itself; other users of this machine can see it
  --config <path>        configuration (YAML), which only its owner may access
  --log-dir <path>       directory of the logs
  --allow-http           accept an http address that is not this machine's
  --version              print the version
  --help                 print this text

The options take precedence over the configuration.
Exit codes: 2 the configuration is not valid, 77 the token belongs to no agent, 78 another process runs with the same token.
`;

/** Parses the arguments. Throws an Error that explains what is wrong. */
export function parseArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      token: { type: 'string' },
      'token-file': { type: 'string' },
      config: { type: 'string' },
      'log-dir': { type: 'string' },
      'allow-http': { type: 'boolean', default: false },
      version: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [first, ...others] = positionals;
  if ((first !== undefined && first !== 'check') || others.length > 0)
    throw new Error(`Unknown command ${positionals.join(' ')}.`);
  const command = first === 'check' ? 'check' : 'run';
  return {
    command: values.help ? 'help' : values.version ? 'version' : command,
    url: values.url,
    token: values.token,
    tokenFile: values['token-file'],
    config: values.config,
    logDirectory: values['log-dir'],
    isHttpAllowed: values['allow-http'],
  };
}
