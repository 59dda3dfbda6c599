package google

import (
	"net/http"
	"strconv"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// PageOf returns the page of a list that a request asks for, and the token of the next. parameter is that of the size of a page.
func PageOf[T any](r *Request, all []T, parameter string, standard, most int) (page []T, next string, err error) {
	size, from := standard, 0
	if given := r.URL.Query().Get(parameter); given != "" {
		if size, err = strconv.Atoi(given); err != nil || size < 0 {
			return nil, "", Err(http.StatusBadRequest, "invalidParameter", "Invalid value for "+parameter+": "+given)
		}
		if size == 0 || size > most {
			size = most
		}
	}
	if token := r.URL.Query().Get("pageToken"); token != "" {
		at, ours := cloud.ReadPageToken(token)
		if from, err = strconv.Atoi(at); err != nil || !ours || from < 0 {
			return nil, "", Err(http.StatusBadRequest, "invalidParameter", "Invalid page token")
		}
	}
	from = min(from, len(all))
	to := min(from+r.Cloud.PageOfAtMost(size), len(all))
	if to < len(all) {
		next = cloud.PageToken(strconv.Itoa(to))
	}
	return all[from:to], next, nil
}
