import type { Secrets } from '@fairlead/instance-secrets/secrets';
import type { DataDirectory } from './data-directory.ts';
import type { PortPlan } from './port-plan.ts';
import type { Replicas } from './replicas.ts';

/** Everything that is known before the first process of an instance starts. */
export interface LaunchPlan {
  /** The checkout. */
  readonly root: string;
  readonly data: DataDirectory;
  readonly ports: PortPlan;
  readonly replicas: Replicas;
  readonly gatewayPort: number;
  readonly secrets: Secrets;
  /** The configured NATS, or the one that the launcher starts. */
  readonly natsUrl: string;
  /** The environment that every child gets in addition to its own variables. */
  readonly childEnvironment: Readonly<Record<string, string | undefined>>;
}

/** The address of a port of this machine. */
export function loopbackUrl(port: number): string {
  return `http://127.0.0.1:${String(port)}`;
}
