/** Path of the channel on the gateway. A change that earlier agents cannot follow has another one. */
export const CHANNEL_PATH = '/agent/v1';

/** Header that names the agent's process: 22 base64url characters, random. */
export const INSTANCE_HEADER = 'fairlead-agent-instance';

/** Form of the value of INSTANCE_HEADER. */
export const INSTANCE_FORM = /^[A-Za-z0-9_-]{22}$/;

/** The longest wait of a poll. It stays below the idle times of common proxies. */
export const MAX_POLL_MS = 25_000;

/** Size of the output of a call in JSON, above which the call fails. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Size of the outcome of a call. A longer upload is refused while it is sent. */
export const MAX_OUTCOME_BYTES = MAX_OUTPUT_BYTES + 64 * 1024;

/** Tasks that one process may have in hand at the same time. */
export const MAX_TASKS_IN_HAND = 300;
