// Package largest makes objects as large as the schema of their kind allows: each list and string alone, and all together up to what the API server stores.
// Its test asks for what every object is owed however large it is: a condition, by work that is bounded.
package largest
