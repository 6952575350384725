import { documents, logs, metricPages } from '../../observability/support/evidence.ts';
import { findSecrets } from '../../observability/support/search.ts';
import type { Evidence, PlantedSecret } from '../../observability/support/search.ts';
import { secretsOfStack } from '../../observability/support/stack-secrets.ts';
import type { DevStack } from '../../setup/dev-stack.ts';
import { answersOf, readExchanges, secretsOf } from './exchange-secrets.ts';

/** Locations of a run's evidence. */
export interface Traces {
  readonly stack: DevStack;
  /** Folder of the stack's data and logs. */
  readonly data: string;
  /** File with the run's recorded exchanges with the API. */
  readonly exchanges: string;
  /** All messages between the services. */
  readonly messages: readonly Evidence[];
}

/** The result of a search for secrets. */
export interface Findings {
  /** Number of secrets. */
  readonly secrets: number;
  /** Number of searched bytes. */
  readonly bytes: number;
  /** The leaks, one per line. */
  readonly leaks: readonly string[];
}

/** The first characters of every private key in text form. */
const PRIVATE_KEY: PlantedSecret = { name: 'a private key', value: 'PRIVATE KEY-----' };

/** A private JSON Web Key, as JSON and as a document's member: its name, four bytes of length, and its value. */
const PRIVATE_JWK = /"d":"[\w-]{43,}"|[^ -~]d[^ -~][\s\S]{4}[\w-]{43,}[^ -~]/;

/** The evidence of a run: logs, metrics, documents, messages and responses. */
export async function evidenceOf(traces: Traces): Promise<Evidence[]> {
  const { stack, data, exchanges, messages } = traces;
  return [
    ...(await logs(data)),
    ...(await metricPages(stack)),
    ...(await documents(stack.mongodbUri)),
    ...messages,
    ...answersOf(readExchanges(exchanges), stack.baseUrl),
  ];
}

/**
 * Searches for every secret that a run sent or received, in every encoding, in all logs, metrics, messages and documents of its stack, and
 * in all responses except the one that issued it.
 */
export async function findLeaks(traces: Traces): Promise<Findings> {
  const { stack, data, exchanges } = traces;
  const sent = secretsOf(readExchanges(exchanges), stack.baseUrl);
  const secrets = [...(await secretsOfStack(data, stack)), ...sent, PRIVATE_KEY];
  const evidence = await evidenceOf(traces);
  const keys = evidence.filter(({ bytes }) => PRIVATE_JWK.test(bytes.toString('latin1')));
  return {
    secrets: secrets.length,
    bytes: evidence.reduce((sum, { bytes }) => sum + bytes.length, 0),
    leaks: [
      ...findSecrets(secrets, evidence),
      ...keys.map(({ place }) => `a private JSON Web Key in ${place}`),
    ],
  };
}
