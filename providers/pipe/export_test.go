package pipe

// Messages are what crosses a pipe beside the messages of the contract, and Methods its calls.
var (
	Messages = []any{frame{}, previewCall{}, checkCall{}, openCall{}, sessionCall{}, hostCall{}, beginAnswer{}, stopRequest{}}
	Methods  = []string{describe, preview, check, open, closing, identity, observe, list, create, update, remove, stop, token, begin, ended, answer, cancel}
)
