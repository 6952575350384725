/** Tells everybody who waits for a change of an agent's tasks to look. */
export interface AgentWakes {
  /** Wakes the listeners of an agent, in every replica. Some may not get it. */
  wake(agentKey: string): void;
  /** Calls `listener` whenever the agent is woken, until the returned function is called. */
  onWake(agentKey: string, listener: () => void): () => void;
  /** How long to wait at most before looking unwoken. */
  lookAgainMs(): number;
}
