import { OnPremAgents } from './gen/resources.ts';
import { segment } from './transport.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** The on-prem agents of the API, with their logs, which are not held in memory. */
export class OnPremAgentsWithLogs extends OnPremAgents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Download the logs of an on-prem agent.
   *
   * A zip archive, which the agent makes for this call. OPA_AGENT_OFFLINE unless it is online. `timeoutMs` only limits the wait for
   * the beginning, `signal` ends the transfer. Cancel the stream if you do not read it to its end; it errors if it ends early.
   *
   * `GET /v1/on-prem-agents/{id}/logs`
   */
  downloadLogs(id: number, options: RequestOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream(
      { method: 'GET', path: `/v1/on-prem-agents/${segment(id)}/logs` },
      { ...options, headers: { accept: '*/*', ...options.headers } },
    );
  }
}
