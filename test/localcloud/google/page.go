package google

import (
	"net/http"
	"strconv"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// PageOf returns the bounds of the page of a list that a request asks for, and the token of the next.
func PageOf(r *Request, total int, parameter string, standard, most int) (from, to int, next string, err error) {
	size := standard
	if given := r.URL.Query().Get(parameter); given != "" {
		if size, err = strconv.Atoi(given); err != nil || size < 0 {
			return 0, 0, "", Err(http.StatusBadRequest, "invalidParameter", "Invalid value for "+parameter+": "+given)
		}
		if size == 0 || size > most {
			size = most
		}
	}
	if token := r.URL.Query().Get("pageToken"); token != "" {
		at, ours := cloud.ReadPageToken(token)
		if from, err = strconv.Atoi(at); err != nil || !ours || from < 0 {
			return 0, 0, "", Err(http.StatusBadRequest, "invalidParameter", "Invalid page token")
		}
	}
	from = min(from, total)
	to = min(from+r.Cloud.PageOfAtMost(size), total)
	if to < total {
		next = cloud.PageToken(strconv.Itoa(to))
	}
	return from, to, next, nil
}
