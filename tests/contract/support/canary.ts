import { documents, logs, metricPages } from '../../observability/support/evidence.ts';
import { findSecrets } from '../../observability/support/search.ts';
import type { Evidence, PlantedSecret } from '../../observability/support/search.ts';
import { secretsOfStack } from '../../observability/support/stack-secrets.ts';
import type { DevStack } from '../../setup/dev-stack.ts';
import { answersOf, readExchanges, secretsOf } from './exchange-secrets.ts';

/** Where a run left its evidence. */
export interface Traces {
  readonly stack: DevStack;
  /** The folder of the stack's data and logs. */
  readonly data: string;
  /** The file of the run's exchanges with the API. */
  readonly exchanges: string;
  /** Every message that the services sent one another. */
  readonly messages: readonly Evidence[];
}

/** The result of a search for secrets. */
export interface Findings {
  /** The number of secrets. */
  readonly secrets: number;
  /** The number of searched bytes. */
  readonly bytes: number;
  /** The leaks, one line each. */
  readonly leaks: readonly string[];
}

/** The start of every private key as text. */
const PRIVATE_KEY: PlantedSecret = { name: 'a private key', value: 'PRIVATE KEY-----' };

/** A private JSON Web Key, as JSON and as a member of a document: its name, four bytes of length, and its value. */
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
 * Searches for every secret that a run sent or received, in every form, in all logs, metrics, messages and documents of
 * its stack and in every response except the one that issued it.
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
