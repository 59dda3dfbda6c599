package portable

// WhyNoTokens is what it does to a database's clients that spec.iamAuthentication becomes false.
const WhyNoTokens = "clients that log in with tokens are refused at their next connection"
