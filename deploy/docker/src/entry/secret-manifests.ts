import {
  ownSecretVariables,
  sandboxCrmClients,
  sandboxCrmVariables,
  sharedSecretVariables,
} from '@fairlead/instance-secrets/variables';
import type { Variables } from '@fairlead/instance-secrets/variables';
import type { Secrets } from '@fairlead/instance-secrets/secrets';
import { SERVICE_NAMES } from '@fairlead/service-list/services';

/** The names of all services. */
const SERVICES = ['gateway', ...SERVICE_NAMES] as const;

/** The installation for which secrets are generated. */
export interface Installation {
  /** Address of MongoDB for all services; undefined: the operator adds it. */
  readonly mongodbUri: string | undefined;
  /** Address of NATS for all services; undefined: the operator adds it. */
  readonly natsUrl: string | undefined;
  /** Address of the gateway as clients see it, for a sandbox CRM beside the services. */
  readonly sandboxCrmFor: string | undefined;
}

/** Secret variables of each program, by name. */
export function variablesByProgram(secrets: Secrets, o: Installation): ReadonlyMap<string, Variables> {
  const own = ownSecretVariables(secrets);
  const clients = { CONNECTOR_OAUTH_CLIENTS: JSON.stringify(sandboxCrmClients(secrets)) };
  const services = SERVICES.map((name): readonly [string, Variables] => [
    name,
    {
      ...sharedSecretVariables(secrets),
      ...(o.mongodbUri === undefined ? {} : { MONGODB_URI: o.mongodbUri }),
      ...(o.natsUrl === undefined ? {} : { NATS_URL: o.natsUrl }),
      ...own[name],
      ...(name === 'connections' && o.sandboxCrmFor !== undefined ? clients : {}),
    },
  ]);
  if (o.sandboxCrmFor === undefined) return new Map(services);
  return new Map([...services, ['sandbox-crm', sandboxCrmVariables(secrets, o.sandboxCrmFor)]]);
}

/** A Kubernetes Secret with the members that we write. */
export interface SecretManifest {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly type: 'Opaque';
  readonly stringData: Variables;
}

/** One Secret per program, `<release>-<program>`, with a key per variable. */
export function secretManifests(
  programs: ReadonlyMap<string, Variables>,
  o: { readonly release: string; readonly namespace: string | undefined },
): readonly SecretManifest[] {
  return [...programs].map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${o.release}-${name}`,
      ...(o.namespace === undefined ? {} : { namespace: o.namespace }),
      labels: {
        'app.kubernetes.io/name': 'fairlead',
        'app.kubernetes.io/instance': o.release,
        'app.kubernetes.io/component': name,
      },
    },
    type: 'Opaque',
    stringData,
  }));
}

/** Lines for Docker Compose's `.env`: `<PROGRAM>_<VARIABLE>`, and the shared secret once, without a program. */
export function environmentFile(programs: ReadonlyMap<string, Variables>): string {
  const lines = new Map<string, string>();
  for (const [name, variables] of programs) {
    const prefix = name.toUpperCase().replaceAll('-', '_');
    for (const [variable, value] of Object.entries(variables))
      lines.set(variable === 'CALLER_CONTEXT_KEYS' ? variable : `${prefix}_${variable}`, value);
  }
  // Compose takes text between single quotes literally; no value contains one.
  return [...lines].map(([name, value]) => `${name}='${value}'\n`).join('');
}
