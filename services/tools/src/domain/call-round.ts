/** Begins the state of a call that waits for answers, apart from the states of MCP servers. */
const PREFIX = 'dev.fairlead/call:';

/** The state by which a client goes on with a call. */
export function stateOfCall(callId: string): string {
  return PREFIX + callId;
}

/** The call that a client goes on with; undefined: its state is not one of ours. */
export function callOfState(state: string | undefined): string | undefined {
  return state?.startsWith(PREFIX) === true ? state.slice(PREFIX.length) : undefined;
}
