/** When a connection's tools were last read (or the reading began), and the result. */
export interface McpToolsRead {
  readonly readAt: Date;
  /** Hash of the application without its version; absent until the tools are read by this release. */
  readonly hash?: string;
  /** Last number of the application's version. */
  readonly version?: number;
}
