/** Fairlead's name and version, as sent to MCP servers. */
export const CLIENT_INFO = { name: 'fairlead', title: 'Fairlead', version: '0.1.0' };
