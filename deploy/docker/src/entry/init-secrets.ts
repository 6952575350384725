import { parseArgs } from 'node:util';
import { newSecrets } from '@fairlead/instance-secrets/secrets';
import { stringify } from 'yaml';
import { createMissingSecrets } from './create-secrets.ts';
import { openKubernetesApi } from './kubernetes-api.ts';
import { environmentFile, secretManifests, variablesByProgram } from './secret-manifests.ts';
import type { Installation } from './secret-manifests.ts';

const USAGE = `usage: init-secrets --release <name> [--namespace <name>] [--mongodb <uri>] [--nats <url>] [--sandbox-crm <public url>]
       init-secrets --create --release <name> …      in a pod: creates the Secrets that its namespace does not have
       init-secrets --env [--sandbox-crm <public url>]      lines for the .env of Docker Compose
  Generates the secrets of a new installation, and prints a Kubernetes Secret for each service. Each run generates other keys, and
  stored credentials can be read only with the same keys: create them once (kubectl create -f -), and keep them.
`;

/** Quoted, because YAML 1.1 parsers do not read an unquoted time as text. */
const YAML_STYLE = { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const;

/** `init-secrets`: the generated secrets of a new installation, on stdout or as Secrets in the cluster. */
export async function initSecrets(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const values = parse(args);
  const installation: Installation = {
    mongodbUri: values.mongodb,
    natsUrl: values.nats,
    sandboxCrmFor: values['sandbox-crm']?.replace(/\/+$/, ''),
  };
  const secrets = newSecrets();
  const print = (text: string): void => void process.stdout.write(text);
  const programs = variablesByProgram(secrets, installation);
  if (values.env === true) {
    print(environmentFile(programs));
    return;
  }
  const { release, namespace } = values;
  if (release === undefined) throw new Error(`--release: required, but not given\n${USAGE}`);
  if (values.create === true) {
    const api = await openKubernetesApi(env);
    const report = (line: string): void => {
      print(`${line}\n`);
    };
    await createMissingSecrets(api, { secrets, release, installation, report });
    return;
  }
  for (const manifest of secretManifests(programs, { release, namespace }))
    print(`---\n${stringify(manifest, YAML_STYLE)}`);
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    release: text,
    namespace: text,
    mongodb: text,
    nats: text,
    'sandbox-crm': text,
    create: flag,
    env: flag,
  };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}
